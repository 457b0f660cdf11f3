"""Hides passwords and other secrets in the configuration of a connector."""

import re
from collections.abc import Collection, Mapping

HIDDEN = "[hidden]"
"""Stands for a value that is not shown. An option that is saved with it keeps its real value."""

_NAMES = re.compile(
    r"password|passwd|secret|token|credential|jaas|private.?key|api.?key|access.?key|account.?key|sas\.?key|auth\.header|basic\.auth\.user",
    re.IGNORECASE,
)
# `${file:/secrets.properties:password}` says where the secret is, not what it is.
_ELSEWHERE = re.compile(r"\$\{[^}]+\}")
_IN_URL = re.compile(r"(?<=://)([^/@\s:]*):([^/@\s]+)@")
_IN_JDBC = re.compile(r"((?:password|token|secret)=)[^&;]+", re.IGNORECASE)


def hide(config: Mapping[str, str], passwords: Collection[str]) -> tuple[dict[str, str], list[str]]:
    """The configuration as it may be shown, and the options that are hidden in part or as a whole. `passwords`: the
    options that the plugin declares as such."""
    shown: dict[str, str] = {}
    for name, value in config.items():
        if value and (name in passwords or _NAMES.search(name)) and not _ELSEWHERE.fullmatch(value):
            shown[name] = HIDDEN
        else:
            shown[name] = _IN_JDBC.sub(rf"\g<1>{HIDDEN}", _IN_URL.sub(rf"\g<1>:{HIDDEN}@", value))
    return shown, [name for name in config if shown[name] != config[name]]


def put_back(config: Mapping[str, str], known: Mapping[str, str], passwords: Collection[str]) -> dict[str, str]:
    """An edited configuration with the real values of what is hidden."""
    shown, hidden = hide(known, passwords)
    return {name: known[name] if name in hidden and value == shown[name] else value for name, value in config.items()}
