"""Nine o'clock, and the dashboard is wrong: a week of a small company's nights, and the last one.

    raw ─► collect ─► orders ─► clean ─► prices ─┐
    bank ~► exchange (a stream) ~► rates ────────┼─► total ─► totals ─► publish ─► dashboard
    returns ─► refund ─► refunds ────────────────┘

In the last night `collect` brought the price as text, and `clean` failed at it. So `total` and
`publish` never ran. `exchange` has been silent since two, and `refund` wrote no rows. Times are
days before or after the last night, and the hour.
"""

from tests.support import make
from tests.support.make import Json, dataset, facet, run

DAYS = range(-8, 1)  # the last night is day 0
STREAM = {"jobType": facet(processingType="STREAMING", integration="FLINK", jobType="JOB")}
ERROR = {
    "errorMessage": facet(
        message="NumberFormatException: '12,50' is no DECIMAL(10,2)",
        programmingLanguage="JAVA",
        stackTrace="NumberFormatException: '12,50' is no DECIMAL(10,2)\n"
        + "\n".join(f"\tat com.example.Cast{n}(Cast.java:{n})" for n in range(1, 30)),
    )
}


def when(day: int, hour: float) -> float:
    """For `make.run`, which counts minutes from ten o'clock."""
    return day * 24 * 60 + (hour - 10) * 60


def time(day: int, hour: float) -> str:
    return make.time(when(day, hour))


def wrote(name: str, rows: int, facets: Json | None = None) -> Json:
    return dataset(name, facets, outputFacets={"outputStatistics": facet(rowCount=rows, size=rows * 100)})


def night(job: str, day: int, hour: float, inputs: list[str], output: Json, took: float = 0.25) -> list[Json]:
    """A run that comes to a good end."""
    run_id = f"{job} {day}"
    return [
        run("START", job, when(day, hour), run_id, inputs),
        run("COMPLETE", job, when(day, hour + took), run_id, inputs, [output]),
    ]


def stream(job: str, run_id: str, start: float, end: float, every: float, source: str, sink: str) -> list[Json]:
    """A stream that reports every so many minutes that it is alive."""
    events = [run("START", job, start, run_id, [source], [sink], job_facets=STREAM)]
    at = start + every
    while at <= end:
        events.append(run("RUNNING", job, at, run_id, [source], [sink], job_facets=STREAM))
        at += every
    return events


def orders(price: str) -> Json:
    return make.schema("id:INT", f"price:{price}", "note:STRING")


PRICES = {**make.schema("id:INT", "price:DECIMAL(10,2)"), **make.columns(id=["orders.id"], price=["orders.price"])}
TOTALS = {
    **make.schema("day:DATE", "total:DECIMAL(20,2)", "orders:INT"),
    **make.columns(total=["prices.price", "rates.rate", "refunds.amount"], orders=["prices.id"]),
}
DASHBOARD = {
    **make.schema("total:DECIMAL(20,2)", "orders:INT"),
    **make.columns(total=["totals.total"], orders=["totals.orders"]),
}


def good_nights(days: range = DAYS) -> list[Json]:
    """Everything as it should be, the last night too."""
    events: list[Json] = []
    for day in days:
        rows = 1000 + 7 * (day % 5)
        events += night("collect", day, 2, ["raw"], wrote("orders", rows, orders("DOUBLE")))
        events += night("refund", day, 2.5, ["returns"], wrote("refunds", 50 + day % 3, make.schema("amount:DOUBLE")))
        events += night("clean", day, 3, ["orders"], wrote("prices", rows, PRICES))
        events += night("total", day, 4, ["prices", "rates", "refunds"], wrote("totals", 1, TOTALS))
        events += night("publish", day, 5, ["totals"], wrote("dashboard", 1, DASHBOARD))
    first = when(days[0], 0)
    events += stream("exchange", "rates 1", first, when(days[-1], 23.9), 30, "bank", "rates")
    return events


def bad_night() -> list[Json]:
    """The nights before, and the one after which the dashboard is wrong."""
    events = good_nights(range(DAYS[0], 0))
    events = [e for e in events if e["job"]["name"] != "exchange"]
    events += stream("exchange", "rates 1", when(DAYS[0], 0), when(0, 2), 30, "bank", "rates")
    events += night("collect", 0, 2, ["raw"], wrote("orders", 1007, orders("STRING")))
    events += night("refund", 0, 2.5, ["returns"], wrote("refunds", 0, make.schema("amount:DOUBLE")))
    events += [
        run("START", "clean", when(0, 3), "clean 0", ["orders"]),
        run("FAIL", "clean", when(0, 3.2), "clean 0", ["orders"], facets=ERROR),
    ]
    return events


def unrelated() -> list[Json]:
    """A job downstream and one apart, both in trouble, which is nobody's fault upstream."""
    events: list[Json] = []
    for day in range(DAYS[0], 0):
        events += night("mail", day, 6, ["dashboard"], wrote("mails", 10))
        events += night("payroll", day, 1, ["staff"], wrote("salaries", 20))
    events.append(run("FAIL", "payroll", when(0, 1), "payroll 0", ["staff"], ["salaries"], facets=ERROR))
    return events
