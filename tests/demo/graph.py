"""The graph as the API answers it, in the words of a scenario file, and where the two differ."""

import json
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

SCENARIO = Path(__file__).parents[1] / "scenarios" / "orders-pipeline.json"
_INDIRECT = {"GROUP_BY", "FILTER", "CONDITIONAL", "JOIN", "SORT", "WINDOW"}
_ALL = 1000

Graph = dict[str, set[str]]
"""By part (edges, jobs, …) one line for each thing that there is."""


class Api:
    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=f"{url}/api/v1", trust_env=False, timeout=30)

    def get(self, path: str, **parameters: Any) -> Any:
        answer = self._client.get(path, params=parameters)
        answer.raise_for_status()
        return answer.json()

    def all(self, kind: str) -> list[Any]:
        """All jobs or datasets."""
        names = [n["name"] for n in self.get("/namespaces", limit=_ALL)["namespaces"]]
        paths = [f"/namespaces/{quote(name, safe='')}/{kind}" for name in names]
        return [one for path in paths for one in self.get(path, limit=_ALL)[kind]]

    def runs(self) -> list[Any]:
        runs = []
        for job in self.all("jobs"):
            path = f"/namespaces/{quote(job['namespace'], safe='')}/jobs/{quote(job['name'], safe='')}/runs"
            runs += self.get(path, limit=_ALL)["runs"]
        return runs


def expected(values: Mapping[str, str]) -> Graph:
    """The expected graph of the file, with the addresses of this lab."""
    text = SCENARIO.read_text()
    for name in ("kafka", "metastore"):
        text = text.replace(f"{{{name}}}", f"{values['host']}:{values[name]}")
    scenario = json.loads(text)
    columns = set()
    for part in scenario["columns"]:
        source, target = (part[end].replace("dataset:", "datasetField:") for end in ("from", "to"))
        for column, direct in part["fields"].items():
            for word in (*direct, *part["rows"]):
                field, kind = word.split()
                columns.add(f"{target}:{column} ← {source}:{field} {_type(kind)} {kind}")
    steps = [path.split(" → ") for path in scenario["edges"]]
    return {
        "edges": {f"{a} → {b}" for path in steps for a, b in pairwise(path)},
        "jobs": {f"{job} {kind}" for job, kind in scenario["jobs"].items()},
        "same": {f"{dataset} = {name}" for dataset, names in scenario["same"].items() for name in names},
        "fields": {f"{dataset}: {', '.join(fields)}" for dataset, fields in scenario["fields"].items()},
        "columns": columns,
    }


def _type(kind: str) -> str:
    return "INDIRECT" if kind in _INDIRECT else "DIRECT"


class Answers:
    """Everything that the server knows, not only what is connected to the orders."""

    def __init__(self, api: Api) -> None:
        datasets = [f"dataset:{d['namespace']}:{d['name']}" for d in api.all("datasets")]
        self._jobs = api.all("jobs")
        self._nodes = _by_id(api.get("/lineage", nodeId=node, depth=100) for node in datasets)
        self._columns = _by_id(
            api.get("/column-lineage", nodeId=node, depth=100, withDownstream=True) for node in datasets
        )

    def graph(self) -> Graph:
        datasets = [node for node in self._nodes.values() if node["type"] == "DATASET"]
        return {
            "edges": {f"{e['origin']} → {e['destination']}" for node in self._nodes.values() for e in node["outEdges"]},
            "jobs": {f"job:{job['namespace']}:{job['name']} {_kind(job)}" for job in self._jobs},
            "same": {f"{n['id']} = {a['namespace']} {a['name']}" for n in datasets for a in n["data"]["aliases"]},
            "fields": {f"{n['id']}: {', '.join(_field(f) for f in n['data']['fields'])}" for n in datasets},
            "columns": {line for node in self._columns.values() for line in _sources(node)},
        }

    def counts(self) -> dict[str, int]:
        alone = {f"job:{job['namespace']}:{job['name']}" for job in self._jobs} - self._nodes.keys()
        return {
            "nodes": len(self._nodes) + len(alone),
            "edges": sum(len(node["outEdges"]) for node in self._nodes.values()),
            "columns": len(self._columns),
            "column edges": sum(len(node["data"]["inputFields"]) for node in self._columns.values()),
        }


def _by_id(answers: Iterable[Any]) -> dict[str, Any]:
    return {node["id"]: node for answer in answers for node in answer["graph"]}


def _kind(job: Any) -> str:
    parent = job.get("parentJobName")
    return f"{job['type']}, part of {parent}" if parent else str(job["type"])


def _field(field: Any) -> str:
    return f"{field['name']} {field['type']}"


def _sources(node: Any) -> list[str]:
    return [
        f"{node['id']} ← datasetField:{i['namespace']}:{i['dataset']}:{i['field']} {t['type']} {t['subtype']}"
        for i in node["data"]["inputFields"]
        for t in i["transformations"]
    ]


def differences(expected: Graph, actual: Graph) -> list[str]:
    """One line each; empty if the graph is as expected."""
    missing = [f"missing in {part}: {line}" for part in expected for line in sorted(expected[part] - actual[part])]
    extra = [f"too much in {part}: {line}" for part in expected for line in sorted(actual[part] - expected[part])]
    return missing + extra


def changed_schemas(api: Api) -> list[str]:
    """No schema changes here, so no two jobs may report different ones for the same dataset: `headwater why` and people
    would take that for a change."""
    schemas: dict[str, set[str]] = {}
    events, page = 0, api.get("/events/lineage", limit=_ALL)["events"]
    while page:
        for event in page:
            for dataset in (*event.get("inputs", ()), *event.get("outputs", ())):
                if schema := dataset.get("facets", {}).get("schema"):
                    name = f"{dataset['namespace']} {dataset['name']}"
                    schemas.setdefault(name, set()).add(", ".join(map(_field, schema["fields"])))
        events += len(page)
        page = api.get("/events/lineage", limit=_ALL, offset=events)["events"]
    return [
        f"{name} has had several schemas: {' / '.join(sorted(several))}"
        for name, several in schemas.items()
        if len(several) > 1
    ]
