"""Command lines and files of the services, with their placeholders filled in."""

from pathlib import Path

import pytest

from headwater.lab.jars import pinned
from headwater.lab.metastore import POSTGRES
from headwater.lab.placeholders import fill, for_clients, values, write_files
from headwater.lab.plan import Plan
from headwater.lab.service_spec import ServiceSpec
from headwater.lab.services import SERVICES, services

ALL = {service.name: service for service in services("postgres")}


def plan(folder: Path) -> Plan:
    return Plan("default", folder, tuple(ALL), Path("/cache"), "/jdk/bin/java", Path("/spark"))


def filled_values(folder: Path) -> dict[str, str]:
    numbers = [name for service in (*SERVICES, POSTGRES) for name in service.ports]
    return values(plan(folder), {name: 20000 + n for n, name in enumerate(numbers)})


def spec(name: str) -> ServiceSpec:
    return next(service for service in (*SERVICES, POSTGRES) if service.name == name)


def command(name: str, folder: Path) -> list[str]:
    return fill(spec(name).command, spec(name), filled_values(folder), folder)


@pytest.mark.parametrize("service", [*ALL.values(), spec("metastore")], ids=lambda service: service.name)
def test_every_name_in_a_spec_is_filled_in(service: ServiceSpec, tmp_path: Path) -> None:
    texts = [*service.command, *service.environment.values(), service.url]
    texts += [word for words in service.prepare.commands for word in words] if service.prepare else []
    texts += [text for name, text in service.files.items() if "log4j2" not in name]
    texts = fill(texts, service, filled_values(tmp_path), tmp_path)
    assert not [text for text in texts if "{" in text]


def test_a_jvm_gets_its_heap_its_jars_and_its_own_file(tmp_path: Path) -> None:
    words = command("kafka", tmp_path)
    assert words[:2] == ["/jdk/bin/java", "-Xmx512m"]
    assert words[words.index("-cp") + 1] == "/cache/kafka/*"
    assert words[-2:] == ["kafka.Kafka", f"{tmp_path}/kafka/server.properties"]


def test_the_catalog_finds_its_own_libraries_before_those_of_hadoop(tmp_path: Path) -> None:
    words = command("metastore", tmp_path)
    conf, own, others = words[words.index("-cp") + 1].split(":")
    assert conf == f"{tmp_path}/metastore/conf"
    assert own.endswith("-bin/lib/*")
    assert others == "/cache/metastore/*"


def test_files_are_written_with_the_ports_of_today(tmp_path: Path) -> None:
    write_files(spec("kafka"), filled_values(tmp_path), tmp_path)
    settings = (tmp_path / "kafka/server.properties").read_text()
    assert "listeners=PLAINTEXT://127.0.0.1:20000,CONTROLLER://127.0.0.1:20001\n" in settings
    again = {**filled_values(tmp_path), "kafka": "30000"}
    write_files(spec("kafka"), again, tmp_path)
    assert "advertised.listeners=PLAINTEXT://127.0.0.1:30000\n" in (tmp_path / "kafka/server.properties").read_text()


def test_log_patterns_survive_the_filling(tmp_path: Path) -> None:
    write_files(spec("kafka"), filled_values(tmp_path), tmp_path)
    assert "%d{ISO8601} %p %c{1}: %m%n" in (tmp_path / "kafka/log4j2.properties").read_text()


def test_buckets_are_folders_that_are_there_before_the_store(tmp_path: Path) -> None:
    write_files(spec("s3"), filled_values(tmp_path), tmp_path)
    assert sorted(p.name for p in (tmp_path / "s3/buckets").iterdir()) == ["archive", "warehouse"]


def test_clients_get_ports_and_keys_but_no_paths(tmp_path: Path) -> None:
    clients = for_clients(filled_values(tmp_path), {"kafka": 20000})
    assert clients["kafka"] == "20000"
    assert clients["s3-key"]
    assert not [value for value in clients.values() if "/" in value]


def test_a_password_is_on_no_command_line_and_in_no_file_that_others_can_read(tmp_path: Path) -> None:
    secret = filled_values(tmp_path)["secret"]
    assert len(secret) >= 32
    assert filled_values(tmp_path)["secret"] == secret
    assert secret not in for_clients(filled_values(tmp_path), {"postgres": 1}).values()
    for name in ("postgres", "metastore"):
        service = ALL[name]
        assert not [
            word for word in fill(service.command, service, filled_values(tmp_path), tmp_path) if secret in word
        ]
        write_files(service, filled_values(tmp_path), tmp_path)
    holding = [path for path in tmp_path.rglob("*") if path.is_file() and secret in path.read_text()]
    assert len(holding) == 3
    assert all(path.stat().st_mode & 0o077 == 0 for path in holding)


def test_the_jars_that_commands_name_are_among_those_with_a_checksum() -> None:
    files = pinned()
    assert {service.jars for service in SERVICES if service.jars} == files.keys()
    assert "s3proxy-4.1.0-jar-with-dependencies.jar" in files["s3"]
    assert "apicurio-registry-app-3.0.9-all.tar.gz" in files["registry"]


def test_no_lab_has_a_cluster_id_that_looks_like_an_option(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / str(number)).mkdir()
    ids = [filled_values(tmp_path / str(number))["id"] for number in range(300)]
    assert len(set(ids)) == 300
    assert {len(one) for one in ids} == {22}
    assert not any(one.startswith("-") for one in ids)


def test_headwater_knows_the_labs_connect_if_there_is_one(tmp_path: Path) -> None:
    assert values(plan(tmp_path), {"connect": 18083})["clusters"] == "kafka-connect=http://127.0.0.1:18083"
    assert values(plan(tmp_path), {})["clusters"] == ""
