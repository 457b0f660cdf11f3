"""`kill -9` among edits: what was acknowledged stays, the deletions too."""

import threading
from collections.abc import Iterator

import httpx

from tests.integration.samples import LAKE, dataset_event
from tests.support.server import EVENT, Server, differences, path_of, rebuild, wait_for

_EDITORS = 3
_KILL_AFTER = (1, 60, 300)


class Editors:
    """Clients that make datasets, tag and delete them, until the server is gone."""

    def __init__(self, server: Server, round_number: int) -> None:
        self._url, self._round = server.url, round_number
        self.tagged: dict[str, str] = {}  # dataset → tag
        self.deleted: set[str] = set()
        self.described: dict[str, str] = {}  # tag → description
        self.unsure: set[str] = set()  # datasets whose deletion was requested, and not answered
        self.acknowledged = 0
        self.wrong: list[str] = []
        self._threads = [threading.Thread(target=self._edit, args=(number,)) for number in range(_EDITORS)]

    def __enter__(self) -> "Editors":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        for thread in self._threads:
            thread.join(60)
            assert not thread.is_alive()

    def _edit(self, number: int) -> None:
        with httpx.Client(base_url=self._url, timeout=30, trust_env=False) as client:
            try:
                for name in self._names(number):
                    path, tag = path_of("datasets", LAKE, name), f"tag-{name}"
                    self._check(client.post(EVENT, json=dataset_event(number, name=name)))
                    self._check(client.put(f"/api/v1/tags/{tag}", json={"description": name}))
                    self.described[tag] = name
                    self._check(client.post(f"{path}/tags/{tag}"))
                    self.tagged[name] = tag
                    if name.endswith("0"):
                        self.unsure.add(name)
                        self._check(client.delete(path))
                        self.deleted.add(name)
                        self.unsure.discard(name)
            except httpx.TransportError:
                return  # killed

    def _names(self, number: int) -> Iterator[str]:
        return (f"table_{self._round}_{number}_{count}" for count in range(1 << 20))

    def _check(self, answer: httpx.Response) -> None:
        self.acknowledged += 1
        if answer.status_code not in (200, 201):
            self.wrong.append(f"{answer.status_code} {answer.text[:200]}")


def test_edits_that_were_acknowledged_survive(server: Server) -> None:
    for number, enough in enumerate(_KILL_AFTER):
        with Editors(server, number) as editors:
            wait_for(lambda: editors.acknowledged >= enough or editors.wrong, f"{enough} edits", 120)  # noqa: B023
            server.kill()
        assert not editors.wrong
        server.start()
        tags = {tag["name"]: tag["description"] for tag in server.json("/api/v1/tags", limit=1000)["tags"]}
        assert editors.described.items() <= tags.items()
        for name, tag in editors.tagged.items():
            if name in editors.unsure:
                continue
            answer = server.get(path_of("datasets", LAKE, name))
            if name in editors.deleted:
                assert answer.status_code == 404
            else:
                assert answer.json()["tags"] == [tag]
    before = server.answers()
    server.stop()
    rebuild(server.data)
    assert not differences(before, server.start().answers())
