"""A shop's pipeline as of now, for the views that show the present: it runs, fails, is late and streams.

    kafka orders ~► enrich (a stream) ~► kafka enriched ─► hourly_totals ─► totals ─► dashboard_refresh ─► dashboard
    raw_prices ─► clean_prices (failed) ─► prices ─┘

`hourly_totals` is late, and the schema of `prices` changed a while ago. Names, tags and facets
that are hard on a page are in `bad_names()`.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

Json = dict[str, Any]
PRODUCER = "https://example.org/shop/1.0"
SPEC = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/"
_IDS = UUID("2f9a2c3e-0000-4000-8000-000000000000")

KAFKA, WAREHOUSE = "kafka://broker:9092", "s3://warehouse"
ORDERS, ENRICHED = (KAFKA, "orders"), (KAFKA, "orders-enriched")
RAW, PRICES, TOTALS, DASHBOARD = ((WAREHOUSE, f"shop/{n}") for n in ("raw_prices", "prices", "totals", "dashboard"))

TRACE = "java.lang.NumberFormatException: '12,50' is no DECIMAL(10,2)\n" + "\n".join(
    f"\tat com.example.shop.Prices.parse{n}(Prices.java:{n})" for n in range(40, 60)
)
SQL = """-- totals of each hour
INSERT OVERWRITE totals
SELECT supplier, date_trunc('HOUR', bid_time) AS hour, sum(price) AS total, count(*) AS orders
FROM enriched JOIN prices USING (item)
WHERE price > 0.5
GROUP BY 1, 2"""
PYTHON = '''from pyspark.sql import functions as F

def clean(prices):
    """Only prices that can be read."""
    return prices.where(F.col("price").isNotNull())
'''


def facet(**content: Any) -> Json:
    return {"_producer": PRODUCER, "_schemaURL": "https://example.org/schema.json", **content}


def run_id(job: str, number: int) -> str:
    return str(uuid5(_IDS, f"{job} {number}"))


def schema(**columns: str) -> Json:
    fields = [{"name": name, "type": kind, "description": f"The {name}"} for name, kind in columns.items()]
    return {"schema": facet(fields=fields)}


def dataset(name: tuple[str, str], facets: Json | None = None, **more: Any) -> Json:
    return {"namespace": name[0], "name": name[1], "facets": facets or {}, **more}


def written(name: tuple[str, str], rows: int, facets: Json | None = None) -> Json:
    counts = facet(rowCount=rows, size=rows * 120, fileCount=2)
    return dataset(name, facets, outputFacets={"outputStatistics": counts})


class Shop:
    """Events of the shop, as of a moment."""

    def __init__(self, now: datetime | None = None) -> None:
        self.now = now or datetime.now(UTC)

    def event(self, kind: str, job: str, ago: timedelta, number: int, **more: Any) -> Json:
        return {
            "eventType": kind,
            "eventTime": (self.now - ago).isoformat().replace("+00:00", "Z"),
            "producer": more.pop("producer", PRODUCER),
            "schemaURL": SPEC + "RunEvent",
            "run": {"runId": run_id(job, number), "facets": more.pop("run_facets", {})},
            "job": {"namespace": "shop", "name": job, "facets": more.pop("job_facets", {})},
            "inputs": more.pop("inputs", []),
            "outputs": more.pop("outputs", []),
        }

    def events(self) -> list[Json]:
        return [*self.batch(), *self.stream()]

    def batch(self) -> Iterator[Json]:
        hour = timedelta(hours=1)
        owner = facet(owners=[{"name": "team:prices", "type": "MAINTAINER"}, {"name": "ann", "type": "OWNER"}])
        cleaning = {
            "jobType": facet(processingType="BATCH", integration="SPARK", jobType="JOB"),
            "ownership": owner,
            "documentation": facet(description="Brings the suppliers' price lists into one form."),
            "sourceCode": facet(language="PYTHON", sourceCode=PYTHON),
            "sourceCodeLocation": facet(type="git", url="https://git.example.org/shop/clean_prices.py"),
        }
        totals = {
            "jobType": facet(processingType="BATCH", integration="SPARK", jobType="JOB"),
            "sql": facet(query=SQL),
        }
        spark = {
            "processing_engine": facet(name="spark", version="4.1.4"),
            "spark_applicationDetails": facet(uiWebUrl="http://driver.example.org:4040", applicationId="local-1"),
        }
        for n in range(12, 0, -1):
            ago = n * hour
            new = n <= 4
            prices = schema(
                item="STRING", price="STRING" if new else "DECIMAL(10,2)", **({"day": "DATE"} if new else {})
            )
            yield self.event(
                "START", "clean_prices", ago, n, inputs=[dataset(RAW)], job_facets=cleaning, run_facets=spark
            )
            if n == 1:
                error = {
                    "errorMessage": facet(message=TRACE.split("\n")[0], programmingLanguage="JAVA", stackTrace=TRACE)
                }
                yield self.event("FAIL", "clean_prices", ago - timedelta(minutes=3), n, run_facets=error)
            else:
                yield self.event(
                    "COMPLETE",
                    "clean_prices",
                    ago - timedelta(minutes=2 + n % 4),
                    n,
                    inputs=[dataset(RAW)],
                    outputs=[written(PRICES, 900 + 37 * n, prices)],
                )
            if n > 3:
                yield from self.totals(n, ago - timedelta(minutes=20), totals)

    def totals(self, n: int, ago: timedelta, job_facets: Json) -> Iterator[Json]:
        price = {"namespace": PRICES[0], "name": PRICES[1], "field": "price"}
        item = {"namespace": PRICES[0], "name": PRICES[1], "field": "item"}
        lineage = facet(
            fields={
                "total": {
                    "inputFields": [
                        {**price, "transformations": [{"type": "DIRECT", "subtype": "AGGREGATION", "masking": False}]},
                        {**item, "transformations": [{"type": "INDIRECT", "subtype": "JOIN", "masking": True}]},
                    ]
                }
            }
        )
        result = {**schema(supplier="STRING", hour="TIMESTAMP", total="DECIMAL(22,2)"), "columnLineage": lineage}
        inputs = [dataset(ENRICHED), dataset(PRICES)]
        yield self.event("START", "hourly_totals", ago, n, inputs=inputs, job_facets=job_facets)
        yield self.event(
            "COMPLETE",
            "hourly_totals",
            ago - timedelta(minutes=4, seconds=7 * n),
            n,
            inputs=inputs,
            outputs=[written(TOTALS, 160 + n, result)],
        )
        yield self.event("START", "dashboard_refresh", ago - timedelta(minutes=8), n, inputs=[dataset(TOTALS)])
        yield self.event(
            "COMPLETE", "dashboard_refresh", ago - timedelta(minutes=9), n, outputs=[written(DASHBOARD, 24)]
        )

    def stream(self) -> Iterator[Json]:
        flink = {"jobType": facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
        connect = {"jobType": facet(processingType="STREAMING", integration="KAFKA_CONNECT", jobType="TASK")}
        metrics = {
            "headwater_streaming": facet(
                inputRowsPerSecond=1234.5,
                outputRowsPerSecond=1180.25,
                processedRowsPerSecond=4200.0,
                watermark=(self.now - timedelta(seconds=12)).isoformat().replace("+00:00", "Z"),
                stateRows=5400,
                lateRows=3,
                sources=[{"description": "orders", "offsetsBehind": 870}],
            ),
            "checkpoints": facet(completed=311, failed=2, restored=1, total=314),
        }
        both = {"inputs": [dataset(ORDERS)], "outputs": [dataset(ENRICHED)]}
        yield self.event("START", "enrich", timedelta(hours=9), 1, job_facets=flink, **both)
        yield self.event("ABORT", "enrich", timedelta(hours=5), 1, producer="https://example.org/flink-watcher")
        yield self.event("START", "enrich", timedelta(hours=5), 2, job_facets=flink, **both)
        for minutes in range(12, -1, -1):
            yield self.event("RUNNING", "enrich", timedelta(minutes=minutes), 2, run_facets=metrics, **both)
        yield self.event("START", "orders-source", timedelta(hours=7), 1, job_facets=connect, outputs=[dataset(ORDERS)])
        yield self.event("RUNNING", "orders-source", timedelta(minutes=33), 1, outputs=[dataset(ORDERS)])

    def bad_names(self) -> list[Json]:
        """Everything that a page must not fall over."""
        evil = "<script>window.hacked = true</script><img src=x onerror='window.hacked = true'>"
        long = "long_" + "x" * 9_995
        arabic = "طلبات_المتجر العربية"
        huge = facet(rows=[{"key": n, "text": "y" * 200} for n in range(20_000)], url="javascript:window.hacked=true")
        columns = {evil: "STRING", long: "INT", arabic: "نص"}
        facets = {**schema(**columns), "huge": huge, "documentation": facet(description=f"{evil}\n{arabic}\n{long}")}
        outputs = [dataset((WAREHOUSE, evil), facets), dataset((arabic, arabic)), dataset((WAREHOUSE, long))]
        error = {"errorMessage": facet(message=evil + long, stackTrace=evil + "\n" + long, programmingLanguage="JAVA")}
        jobs = (evil, long, arabic)
        events = []
        for n, job in enumerate(jobs):
            sql = {"sql": facet(query=f"SELECT '{evil}' -- {arabic}\nFROM {long}")}
            ago = timedelta(minutes=2 - n)
            events.append(self.event("START", job, ago, 1, outputs=outputs, job_facets=sql))
            events.append(self.event("FAIL", job, ago, 1, run_facets=error))
        return events
