"""A lab that loses a service or its supervisor leaves nothing running, and its data is there at the next start."""

import os
import signal
import socket
from contextlib import ExitStack, suppress

from headwater.lab.services import SERVICES
from tests.lab.clients import consume, produce, store
from tests.support.lab import PATIENCE, MakeLab
from tests.support.server import wait_for

SOME = ("--services", "connect,s3")


def test_a_service_that_is_killed_is_named_and_the_others_are_ended(make_lab: MakeLab) -> None:
    lab = make_lab("killed-service")
    process = lab.start(*SOME)
    wait_for(lambda: (lab.data / "lab.json").exists() and lab.state()["phase"] == "up", "the lab", PATIENCE)
    produce(lab, "orders", b"one")
    os.kill(lab.pid("kafka"), signal.SIGKILL)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "Kafka was killed by SIGKILL" in err
    assert "Kafka Server started" in (lab.data / "logs" / "kafka.log").read_text()
    assert not lab.processes()
    lab.up(*SOME)
    assert consume(lab, "orders", 1) == [b"one"]


def test_a_supervisor_that_is_killed_leaves_nothing_running(make_lab: MakeLab) -> None:
    lab = make_lab("killed-supervisor")
    lab.up(*SOME)
    produce(lab, "orders", b"one")
    assert len(lab.processes()) >= 3
    lab.kill_supervisor()
    wait_for(lambda: not lab.processes(), "the end of everything")
    lab.up(*SOME)
    assert consume(lab, "orders", 1) == [b"one"]


def test_a_supervisor_that_is_killed_while_services_start_leaves_nothing_running(make_lab: MakeLab) -> None:
    lab = make_lab("killed-early")
    process = lab.start(*SOME)
    wait_for(lambda: (lab.data / "lab.json").exists() and lab.pid("s3"), "the first process", PATIENCE)
    lab.kill_supervisor()
    process.communicate(timeout=PATIENCE)
    wait_for(lambda: not lab.processes(), "the end of everything")
    lab.up(*SOME)
    assert {s["health"] for s in lab.status()["services"]} == {"ok"}


def test_a_start_that_is_interrupted_leaves_nothing_running(make_lab: MakeLab) -> None:
    lab = make_lab("interrupted")
    process = lab.start("--detach", *SOME)
    wait_for(lambda: (lab.data / "lab.json").exists() and lab.pid("s3"), "the first process", PATIENCE)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert not lab.processes()


def test_two_labs_side_by_side_where_all_usual_ports_are_taken(make_lab: MakeLab) -> None:
    one, two = make_lab("one"), make_lab("two")
    usual = [port for service in SERVICES for port in service.ports.values()]
    with ExitStack() as stack:
        for port in usual:
            with suppress(OSError):  # someone else has it, which is as good
                stack.enter_context(socket.create_server(("127.0.0.1", port)))
        one.up(*SOME)
        two.up(*SOME)
    ports = [port for lab in (one, two) for port in lab.state()["ports"].values()]
    assert len(set(ports)) == len(ports)
    assert not set(ports) & set(usual)
    for lab, text in ((one, b"one"), (two, b"two")):
        produce(lab, "orders", text)
        assert store(lab, "PUT", "/archive/orders", text).status_code == 200
    for lab, text in ((one, b"one"), (two, b"two")):
        assert consume(lab, "orders", 1) == [text]
        assert store(lab, "GET", "/archive/orders").content == text


def test_what_was_downloaded_is_what_it_was(make_lab: MakeLab) -> None:
    lab = make_lab("verified")
    lab.up("--services", "s3", "--verify")
    assert lab.status()["services"][0]["health"] == "ok"
