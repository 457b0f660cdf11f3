"""The transform in real connectors, without a watcher: what it reports of their lives, topics and schemas."""

import json

import pytest

from headwater.watch.connect.runs import run_id
from tests.connect.cluster import NAMESPACE, PATIENCE, Cluster, Json
from tests.connect.smt import SMT, columns, sink, smt, source, statistics, workers
from tests.support.server import wait_for

K = "org.apache.kafka.connect.transforms."


def test_a_source_from_its_start_to_its_deletion(cluster: Cluster) -> None:
    cluster.put("in", source(cluster, "in", text="one\ntwo\n", **smt(cluster)))
    (run,) = cluster.wait_runs("in", "RUNNING")
    assert run["id"] == run_id(NAMESPACE, "in", None)
    topic = f"kafka://{cluster.kafka}"
    wait_for(lambda: columns(cluster, "in") == {"value": "string"}, "the schema", PATIENCE)
    assert cluster.nodes("job:kafka-connect:in") == {"job:kafka-connect:in", f"dataset:{topic}:in"}
    wait_for(lambda: [w["records"] for w in workers(cluster, "in")] == [{"in": 2}], "the count", PATIENCE)
    (worker,) = workers(cluster, "in")
    assert (worker["open"], worker["tasks"], worker["states"]) == (True, [0], {"0": "RUNNING"})
    counted = statistics(cluster, "in", "outputs", "outputStatistics")
    assert sum(one["rowCount"] for one in counted) == 2
    assert sum(one.get("size", 0) for one in counted) > len("one two")
    cluster.delete("in")
    (ended,) = cluster.wait_runs("in", "ABORTED")
    assert "closed" in ended["facets"]["headwater_end"]["reason"]


def test_pause_goes_on_stop_ends_resume_is_a_new_run(cluster: Cluster) -> None:
    cluster.put("life-smt", source(cluster, "life-smt", **smt(cluster)))
    (first,) = cluster.wait_runs("life-smt", "RUNNING")
    cluster.call("PUT", "/connectors/life-smt/pause")
    wait_for(lambda: [w["states"] for w in workers(cluster, "life-smt")] == [{"0": "PAUSED"}], "the pause", PATIENCE)
    cluster.wait_runs("life-smt", "RUNNING")
    cluster.call("PUT", "/connectors/life-smt/resume")
    wait_for(lambda: [w["states"] for w in workers(cluster, "life-smt")] == [{"0": "RUNNING"}], "its end", PATIENCE)
    cluster.call("PUT", "/connectors/life-smt/stop")
    cluster.wait_runs("life-smt", "ABORTED")
    cluster.call("PUT", "/connectors/life-smt/resume")
    again, _ = cluster.wait_runs("life-smt", "RUNNING", "ABORTED")
    assert again["id"] == run_id(NAMESPACE, "life-smt", first["id"])


def test_restart_and_change_are_new_runs(cluster: Cluster) -> None:
    cluster.put("again", source(cluster, "again", **smt(cluster)))
    cluster.wait_runs("again", "RUNNING")
    cluster.call("POST", "/connectors/again/restart?includeTasks=true&onlyFailed=false")
    cluster.wait_runs("again", "RUNNING", "ABORTED")
    cluster.put("again", source(cluster, "again", **smt(cluster)) | {"topic": "again-2"})
    cluster.wait_runs("again", "RUNNING", "ABORTED", "ABORTED")
    # Only now: the task before might still read it, and write it to the first topic.
    with (cluster.files / "again.txt").open("a") as file:
        file.write("another one\n")
    wait_for(lambda: columns(cluster, "again-2"), "the other topic", PATIENCE)


@pytest.mark.parametrize("with_rest", [False, True], ids=["metrics", "rest"])
def test_an_exception_behind_it_fails_the_run(cluster: Cluster, with_rest: bool) -> None:
    name = f"bad-{with_rest}".lower()
    options = smt(cluster, **({"connect.url": cluster.connect} if with_rest else {}))
    options |= {"transforms": "lineage,c", "transforms.c.type": f"{K}Cast$Value", "transforms.c.spec": "int32"}
    cluster.put(name, source(cluster, name, **options))
    (run,) = cluster.wait_runs(name, "FAILED")
    error = run["facets"]["errorMessage"]
    assert error["message"].startswith("task 0 failed")
    assert ("org.apache.kafka.connect.transforms.Cast" in (error.get("stackTrace") or "")) == with_rest
    del options["transforms.c.type"], options["transforms.c.spec"]
    cluster.put(name, source(cluster, name, **(options | {"transforms": "lineage"})))
    cluster.wait_runs(name, "RUNNING", "FAILED")


def test_the_rest_api_says_why_it_ended(cluster: Cluster) -> None:
    cluster.put("why", source(cluster, "why", **smt(cluster, **{"connect.url": cluster.connect})))
    cluster.wait_runs("why", "RUNNING")
    cluster.call("PUT", "/connectors/why/stop")
    (run,) = cluster.wait_runs("why", "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == "the connector was stopped"
    cluster.call("PUT", "/connectors/why/resume")
    cluster.wait_runs("why", "RUNNING", "ABORTED")
    cluster.delete("why")
    run, _ = cluster.wait_runs("why", "ABORTED", "ABORTED")
    assert run["facets"]["headwater_end"]["reason"] == "the connector was deleted"


def test_a_task_that_cannot_start_is_a_failed_run(cluster: Cluster) -> None:
    cluster.produce("nowhere", b"x")
    cluster.put("nowhere", sink(cluster, "nowhere", **smt(cluster)) | {"file": str(cluster.files / "none" / "out")})
    cluster.wait_runs("nowhere", "FAILED")
    (cluster.files / "none").mkdir()
    cluster.call("POST", "/connectors/nowhere/restart?includeTasks=true&onlyFailed=true")
    cluster.wait_runs("nowhere", "RUNNING", "FAILED")


def test_two_tasks_are_one_run_and_restarting_one_of_them_is_no_end(cluster: Cluster) -> None:
    cluster.topic("halves", partitions=2)
    cluster.produce("halves", *[b"%d" % n for n in range(100)])
    cluster.put("halves", sink(cluster, "halves", **smt(cluster)) | {"tasks.max": "2"})
    wait_for(lambda: [w["tasks"] for w in workers(cluster, "halves")] == [[0, 1]], "both tasks", PATIENCE)
    wait_for(lambda: [w["records"] for w in workers(cluster, "halves")] == [{"halves": 100}], "the count", PATIENCE)
    (run,) = cluster.wait_runs("halves", "RUNNING")
    cluster.call("POST", "/connectors/halves/tasks/1/restart")
    cluster.wait_task("halves", "RUNNING")
    cluster.produce("halves", *[b"%d" % n for n in range(100)])
    wait_for(lambda: [w["records"] for w in workers(cluster, "halves")] == [{"halves": 200}], "the count", PATIENCE)
    assert [one["id"] for one in cluster.wait_runs("halves", "RUNNING")] == [run["id"]]
    rows = statistics(cluster, "halves", "inputs", "inputStatistics")
    assert sum(one["rowCount"] for one in rows) == 200


def test_the_other_end_with_its_columns(cluster: Cluster) -> None:
    schema = {"type": "struct", "fields": [{"field": "id", "type": "int64"}, {"field": "note", "type": "string"}]}
    cluster.produce("orders-x", json.dumps({"schema": schema, "payload": {"id": 1, "note": "a"}}).encode())
    end = {"dataset.namespace": "s3://archive", "dataset.name": "raw/${topic}", "dataset.columns": "identity"}
    config = sink(cluster, "orders-x", **smt(cluster, topics="orders-x", **end), **with_schemas())
    cluster.put("orders-x", config)
    topic = f"kafka://{cluster.kafka}"
    wait_for(lambda: cluster.column("s3://archive", "raw/orders-x", "note"), "the columns", PATIENCE)
    assert cluster.column("s3://archive", "raw/orders-x", "note") == {("orders-x", "note", "IDENTITY", False)}
    assert columns(cluster, "orders-x") == {"id": "long", "note": "string"}
    assert f"dataset:{topic}:orders-x" in cluster.nodes("dataset:s3://archive:raw/orders-x")
    schema["fields"] += [{"field": "price", "type": "double"}]  # type: ignore[operator]
    cluster.produce(
        "orders-x", json.dumps({"schema": schema, "payload": {"id": 2, "note": "b", "price": 1.5}}).encode()
    )
    wait_for(lambda: columns(cluster, "orders-x").get("price") == "double", "the new column", PATIENCE)
    cluster.wait_runs("orders-x", "RUNNING")


def test_records_without_a_schema_get_that_of_the_registry(cluster: Cluster) -> None:
    schema = {"type": "object", "properties": {"id": {"type": "integer"}, "tags": {"type": "array"}}}
    cluster.produce("loose", b'{"id": 1}', b"null")
    options = smt(cluster, **{"registry.url": cluster.registry})
    config = sink(cluster, "loose", **options, **with_schemas())
    cluster.put("loose", config | {"value.converter.schemas.enable": "false"})
    wait_for(lambda: [w["records"] for w in workers(cluster, "loose")] == [{"loose": 2}], "the count", PATIENCE)
    assert columns(cluster, "loose") == {}
    answer = cluster.http.post(
        f"{cluster.registry}/subjects/loose-value/versions", json={"schemaType": "JSON", "schema": json.dumps(schema)}
    )
    assert answer.status_code == 200, answer.text
    wait_for(lambda: columns(cluster, "loose") == {"id": "integer", "tags": "array"}, "the schema", PATIENCE)
    cluster.wait_task("loose", "RUNNING")


def test_a_router_before_it_does_not_hide_the_topic_that_a_sink_reads(cluster: Cluster) -> None:
    cluster.produce("routed", b"x")
    route = {
        "transforms.r.type": f"{K}RegexRouter",
        "transforms.r.regex": ".*",
        "transforms.r.replacement": "elsewhere",
    }
    cluster.put("routed", sink(cluster, "routed", **smt(cluster), **route) | {"transforms": "r,lineage"})
    wait_for(lambda: [w["records"] for w in workers(cluster, "routed")] == [{"routed": 1}], "the count", PATIENCE)


@pytest.mark.parametrize(
    ("options", "option", "message"),
    [
        ({"transport.url": "headwater:5000"}, "transport.url", "must be a URL such as http://host:5000"),
        ({"transport.url": None}, "transport.url", "Missing required configuration"),
        ({"kafka": "broker"}, "kafka", "must be a broker address such as host:9092"),
        ({"interval.ms": "5"}, "interval.ms", "Value must be at least 1000"),
        ({"dataset.columns": "all"}, "dataset.columns", "String must be one of: unknown, identity"),
        ({"namespace": ""}, "namespace", "String must be non-empty"),
    ],
)
def test_bad_options_are_named_when_a_connector_is_validated(
    cluster: Cluster, options: dict[str, str | None], option: str, message: str
) -> None:
    config = source(cluster, "invalid", **smt(cluster)) | {"name": "invalid"}
    for name, value in options.items():
        config.pop(f"transforms.lineage.{name}", None)
        if value is not None:
            config[f"transforms.lineage.{name}"] = value
    kind = config["connector.class"]
    check: Json = cluster.http.put(f"{cluster.connect}/connector-plugins/{kind}/config/validate", json=config).json()
    wrong = {c["value"]["name"]: c["value"]["errors"] for c in check["configs"] if c["value"]["errors"]}
    assert list(wrong) == [f"transforms.lineage.{option}"]
    assert message in wrong[f"transforms.lineage.{option}"][0]
    refused = cluster.http.put(f"{cluster.connect}/connectors/invalid/config", json=config)
    assert refused.status_code == 400
    assert message in refused.json()["message"]


def test_options_that_contradict_each_other_fail_the_task_with_what_to_do(cluster: Cluster) -> None:
    cluster.put("contrary", source(cluster, "contrary", **smt(cluster, **{"dataset.name": "x"})))
    cluster.wait_task("contrary", "FAILED")
    assert "belong together: set both or none" in cluster.status("contrary")["tasks"][0]["trace"]


def test_the_plugin_is_listed_with_its_options(cluster: Cluster) -> None:
    plugins = cluster.http.get(f"{cluster.connect}/connector-plugins?connectorsOnly=false").json()
    assert SMT in {one["class"] for one in plugins if one["type"] == "transformation"}
    options = cluster.http.get(f"{cluster.connect}/connector-plugins/{SMT}/config").json()
    assert {"transport.url", "kafka", "connector.name", "registry.url"} <= {one["name"] for one in options}
    assert all(one["documentation"] for one in options)
    by_short_name = cluster.http.get(f"{cluster.connect}/connector-plugins/{SMT.rpartition('.')[2]}/config").json()
    assert by_short_name == options


def with_schemas() -> dict[str, str]:
    return {"value.converter": "org.apache.kafka.connect.json.JsonConverter", "value.converter.schemas.enable": "true"}
