"""What the runs of the pipeline must have come to when everything has ended."""

from collections.abc import Sequence
from typing import Any

from headwater.lab.pipeline import QUERIES, SINKS, SOURCE


def wrong_ends(runs: Sequence[Any]) -> list[str]:
    """After the end no run may be RUNNING, and every ended stream has a reason."""
    problems = [
        f"run {run['id']} of {run['job']['name']} is still {run['state']}" for run in runs if not run["endedAt"]
    ]
    for query in (*QUERIES, SOURCE, *SINKS):
        mine = sorted((run for run in runs if run["job"]["name"] == query), key=lambda run: str(run["startedAt"]))
        if not mine or mine[-1]["state"] != "ABORTED":
            problems.append(f"the last run of {query} should be ABORTED")
        for run in mine:
            if run["state"] == "ABORTED" and not run["facets"].get("headwater_end", {}).get("reason"):
                problems.append(f"run {run['id']} of {query} was aborted without a reason")
            # A record with an unknown schema ends a query; it restarts with the schema from the registry.
            error = run["facets"].get("errorMessage", {}).get("message", "")
            if run["state"] == "FAILED" and "schema id not known" not in error:
                problems.append(f"run {run['id']} of {query} failed: {error[:300]}")
    return problems
