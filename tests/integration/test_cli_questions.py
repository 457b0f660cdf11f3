"""impact as a check in a pipeline, why, path, diff, freshness and gaps, as people ask them."""

import subprocess
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from tests.integration.samples import JOBS, KAFKA, LAKE, Event, dataset, facet, run_event, schema
from tests.support.server import Server, headwater

Ask = Callable[..., "subprocess.CompletedProcess[str]"]

NOW = datetime.now(UTC)
PRICE = f"datasetField:{LAKE}:orders:price"
DIRECT, INDIRECT = (
    {"type": kind, "subtype": "", "description": "", "masking": False} for kind in ("DIRECT", "INDIRECT")
)


def at(hours_ago: float) -> str:
    return (NOW - timedelta(hours=hours_ago)).isoformat()


def owned(event: Event, owner: str) -> Event:
    event["job"]["facets"]["ownership"] = facet(
        "1-0-1/OwnershipJobFacet.json", owners=[{"name": owner, "type": "MAINTAINER"}]
    )
    return event


def reads(job: str, column: str, use: Event, hours_ago: float = 1.0) -> Event:
    """A job that makes `{job}_table` of one column of the orders."""
    lineage = facet(
        "1-2-0/ColumnLineageDatasetFacet.json",
        fields={
            "out": {"inputFields": [{"namespace": LAKE, "name": "orders", "field": column, "transformations": [use]}]}
        },
    )
    event = run_event(job=job, source=(LAKE, "orders")) | {"eventTime": at(hours_ago)}
    event["outputs"] = [dataset(LAKE, f"{job}_table", schema=schema([("out", "double")]), columnLineage=lineage)]
    return event


@pytest.fixture(scope="module")
def ask(shared_server: Server) -> Ask:
    """Orders come from Kafka into the lake, where one job computes with the price and another filters by
    it; three days ago there was a job that nobody has run since. The last run of a report failed."""
    load = run_event(job="load", source=(KAFKA, "orders"), target=(LAKE, "orders")) | {"eventTime": at(2)}
    failed = reads("report", "supplier", DIRECT) | {"eventType": "FAIL"}
    events = [
        owned(load, "ann"),
        owned(reads("totals", "price", DIRECT), "bob"),
        reads("dear_ones", "price", INDIRECT),
        reads("suppliers", "supplier", DIRECT),
        reads("forgotten", "bid_time", DIRECT, hours_ago=72),
        failed,
    ]
    assert shared_server.post_batch(events).status_code == 204
    return lambda *arguments: headwater(*arguments, env={"HEADWATER_URL": shared_server.url})


def assert_exit(done: "subprocess.CompletedProcess[str]", code: int = 0) -> str:
    """Returns standard output."""
    assert done.returncode == code, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


# Impact


def test_impact_shows_what_is_affected_and_how(ask: Ask) -> None:
    lines = assert_exit(ask("impact", PRICE)).splitlines()
    used = {line.split()[-1]: line.split()[1] for line in lines[2:] if "job:" in line}
    assert used == {f"job:{JOBS}:totals": "DIRECT", f"job:{JOBS}:dear_ones": "INDIRECT"}
    assert any("bob" in line and "totals" in line for line in lines)
    assert "owners: bob" in lines[-1]


@pytest.mark.parametrize(
    ("rules", "code"),
    [
        (("direct",), 3),
        (("indirect",), 3),
        (("any",), 3),
        (("unknown",), 0),
        (("owner:bob",), 3),
        (("owner:ann",), 0),
        (("unknown", "owner:bob"), 3),
    ],
    ids=str,
)
def test_a_check_fails_when_something_is_affected(ask: Ask, rules: tuple[str, ...], code: int) -> None:
    done = ask("impact", PRICE, *(word for rule in rules for word in ("--fail-on", rule)))
    assert "totals" in assert_exit(done, code)
    assert bool(done.stderr) == (code == 3)


def test_the_failure_says_whom_to_ask(ask: Ask) -> None:
    done = ask("impact", PRICE, "--fail-on", "direct")
    assert_exit(done, 3)
    assert "ask bob" in done.stderr
    without_owner = ask("impact", f"datasetField:{LAKE}:orders:supplier", "--fail-on", "direct")
    assert_exit(without_owner, 3)
    assert "no owner known" in without_owner.stderr


def test_what_is_known_to_be_fine_can_be_left_out(ask: Ask) -> None:
    ignored = ["--ignore", "owner:bob", "--ignore", f"dataset:{LAKE}:totals_table"]
    assert_exit(ask("impact", PRICE, "--fail-on", "direct"), 3)
    left = ask("impact", PRICE, "--fail-on", "direct", *ignored)
    assert_exit(left, 3)
    assert f"datasetField:{LAKE}:totals_table:out" in left.stderr
    assert_exit(
        ask("impact", PRICE, "--fail-on", "direct", *ignored, "--ignore", f"datasetField:{LAKE}:totals_table:out")
    )
    assert_exit(
        ask("impact", PRICE, "--fail-on", "any", "--ignore", f"namespace:{JOBS}", "--ignore", f"namespace:{LAKE}")
    )


def test_who_has_not_run_for_long_may_be_left_out(ask: Ask) -> None:
    column = f"datasetField:{LAKE}:orders:bid_time"
    assert_exit(ask("impact", column, "--fail-on", "direct"), 3)
    assert_exit(ask("impact", column, "--fail-on", "direct", "--active-since", "1d"))
    assert_exit(ask("impact", column, "--fail-on", "direct", "--active-since", "7d"), 3)


def test_several_columns_are_checked_at_once(ask: Ask) -> None:
    done = ask("impact", f"datasetField:{LAKE}:orders:order_id", PRICE, "--fail-on", "direct")
    text = assert_exit(done, 3)
    assert "orders:order_id feeds nothing" in text
    assert done.stderr.startswith(f"{PRICE}: direct: 3 nodes affected")


def test_a_check_does_not_guess(ask: Ask) -> None:
    done = ask("impact", "orders", "--fail-on", "any")
    assert assert_exit(done, 1) == ""
    assert f"dataset:{LAKE}:orders" in done.stderr
    assert f"dataset:{KAFKA}:orders" in done.stderr


def test_a_column_that_nobody_knows_ends_with_4_unless_that_is_fine(ask: Ask) -> None:
    unknown = f"datasetField:{LAKE}:orders:colour"
    assert_exit(ask("impact", unknown, "--fail-on", "any"), 4)
    done = ask("impact", unknown, "--fail-on", "any", "--missing-ok")
    assert assert_exit(done) == ""
    assert "colour" in done.stderr


def test_a_check_that_did_not_see_everything_fails(ask: Ask) -> None:
    done = ask("impact", f"dataset:{LAKE}:orders", "--fail-on", "owner:carol", "--limit", "1")
    assert_exit(done, 3)
    assert "--limit" in done.stderr


@pytest.mark.parametrize("option", ["--fail-on", "--ignore"])
def test_an_invalid_rule_is_an_error_and_no_result(ask: Ask, option: str) -> None:
    done = ask("impact", PRICE, option, "sometimes")
    assert assert_exit(done, 1) == ""
    assert "sometimes" in done.stderr


# The others


def test_why_names_the_job_that_failed(ask: Ask) -> None:
    text = assert_exit(ask("why", "report_table"))
    assert "1. " in text
    assert "RUN_FAILED" in text
    assert f"job:{JOBS}:report" in text
    assert "no suspects" in assert_exit(ask("why", "report_table", "--at", "5d"))


def test_path_leads_through_the_job(ask: Ask) -> None:
    text = assert_exit(ask("path", f"dataset:{KAFKA}:orders", "totals_table"))
    order = [text.index(f"{KAFKA}:orders"), text.index(":load"), text.index(":totals  "), text.index(":totals_table")]
    assert order == sorted(order)
    assert "suppliers" not in text
    assert "no path between" in assert_exit(ask("path", "totals_table", "suppliers_table"))


def test_diff_shows_what_is_new(ask: Ask) -> None:
    text = assert_exit(ask("diff", "3h", "90m"))
    assert f"+ job:{JOBS}:load" in text
    assert "totals" not in text
    assert f"+ job:{JOBS}:totals" in assert_exit(ask("diff", "90m"))
    around = assert_exit(ask("diff", "90m", "--around", "suppliers", "--depth", "0"))
    assert f"+ job:{JOBS}:suppliers" in around
    assert "nothing changed" in assert_exit(ask("diff", "30d", "29d"))


def test_freshness_shows_when_and_by_which_job(ask: Ask) -> None:
    text = assert_exit(ask("freshness", "totals_table"))
    assert f"job:{JOBS}:totals" in text
    assert "1 h" in text
    assert f"dataset:{LAKE}:orders" in text
    assert_exit(ask("freshness", "totals_table", "--fail-on-late"))


def test_gaps_of_each_kind(ask: Ask) -> None:
    text = assert_exit(ask("gaps"))
    assert "jobs without owner" in text
    assert f"dataset:{KAFKA}:orders" in text.partition("datasets without producer")[2]
    assert f"dataset:{LAKE}:totals_table" in text.partition("datasets without consumer")[2]
    owners = assert_exit(ask("gaps", "owner", "--limit", "1"))
    assert "1 of " in owners
    assert "producer" not in owners
