"""The default port stands in one module."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import headwater
from headwater.defaults import DEFAULT_PORT, DEFAULT_URL

PACKAGE = Path(headwater.__file__).parent
# The number beside the word "port", or at the end of an address.
AS_PORT = re.compile(rf"(ports?\b\D*|:){DEFAULT_PORT}\b", re.IGNORECASE)


def code_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Without docstrings, which may have examples."""
    text = path.read_text()
    docstrings: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            docstrings.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(text.splitlines(), 1):
        if number not in docstrings:
            yield number, line


def test_the_url_has_the_port() -> None:
    assert DEFAULT_URL.endswith(f":{DEFAULT_PORT}")


def test_no_other_module_names_the_default_port() -> None:
    places = [
        f"{path.relative_to(PACKAGE)}:{number}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.name != "defaults.py"
        for number, line in code_lines(path)
        if AS_PORT.search(line)
    ]
    assert places == []


def test_no_help_text_names_the_default_port() -> None:
    """Help texts are docstrings, but are not examples."""
    files = sorted((PACKAGE / "cli").glob("*.py"))
    assert files
    assert [file.name for file in files if str(DEFAULT_PORT) in file.read_text()] == []
