"""The page's files: what is served, as what, and how long it may be kept."""

import gzip
import re
from pathlib import Path
from typing import Any

import pytest

from headwater.api.page import ROUTES, Page


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "assets").mkdir()
    (tmp_path / "index.html").write_text("<!doctype html>")
    (tmp_path / "icon.svg").write_text("<svg/>")
    (tmp_path / "assets" / "graph-D8ObQxz8.js").write_text("let a = 1;" * 1000)
    (tmp_path / "secret").write_text("not ours")
    return tmp_path


async def get(page: Page, path: str, encoding: bytes = b"") -> tuple[int, dict[str, str], bytes]:
    messages: list[Any] = []

    async def send(message: Any) -> None:
        messages.append(message)

    await page({"path": path, "headers": [(b"accept-encoding", encoding)]}, send)
    return messages[0]["status"], {k.decode(): v.decode() for k, v in messages[0]["headers"]}, messages[1]["body"]


@pytest.mark.parametrize("path", sorted(ROUTES))
async def test_every_address_of_the_page_gets_the_page(folder: Path, path: str) -> None:
    page = Page(folder)
    assert page.has(path)
    status, headers, body = await get(page, path)
    assert (status, body) == (200, b"<!doctype html>")
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-cache"
    assert "default-src 'self'" in headers["content-security-policy"]


async def test_files_with_a_hash_in_their_name_are_kept_for_ever_and_packed(folder: Path) -> None:
    page = Page(folder)
    _, headers, body = await get(page, "/assets/graph-D8ObQxz8.js", b"br, gzip")
    assert gzip.decompress(body) == b"let a = 1;" * 1000
    assert "immutable" in headers["cache-control"]
    assert headers["content-type"] == "text/javascript; charset=utf-8"
    assert len((await get(page, "/assets/graph-D8ObQxz8.js"))[2]) == 10_000


@pytest.mark.parametrize(
    "path",
    ["/api/v1/jobs", "/healthz", "/schema", "/assets/none.js", "/secret", "/../x.py", "/assets/../page.py", "/.env.js",
     "/assets/", "/graph/more", "//icon.svg", "/icon.svg/"],
)  # fmt: skip
def test_everything_else_is_left_to_the_api(folder: Path, path: str) -> None:
    assert not Page(folder).has(path)


async def test_a_new_build_is_seen_without_a_restart(folder: Path) -> None:
    page = Page(folder)
    await get(page, "/")
    (folder / "index.html").unlink()
    (folder / "index.html").write_text("new")
    assert (await get(page, "/"))[2] == b"new"


async def test_a_server_without_the_page_says_how_to_get_it(tmp_path: Path) -> None:
    status, _, body = await get(Page(tmp_path), "/")
    assert status == 503
    assert b"make page" in body


def test_every_view_of_the_page_has_an_address_here() -> None:
    views = Path(__file__).parents[3] / "web" / "src" / "views.tsx"
    assert set(re.findall(r'path: "([^"]+)"', views.read_text())) == ROUTES
