"""Times as people write them."""

import re
from datetime import UTC, datetime, timedelta

from headwater.errors import BadRequest

_AGO = re.compile(r"-?(\d+(?:\.\d+)?)\s*(s|m|min|h|d|w)")
_SECONDS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400, "w": 604_800}


def parse_time(text: str) -> datetime:
    """`2026-11-10`, `2026-11-10T09:00Z`, or how long ago: `90s`, `15m`, `2h`, `7d`, `now`. UTC unless
    the text has an offset."""
    text = text.strip()
    try:
        if text == "now":
            return datetime.now(UTC)
        ago = _AGO.fullmatch(text)
        if ago:
            return datetime.now(UTC) - timedelta(seconds=float(ago[1]) * _SECONDS[ago[2]])
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        raise BadRequest(f"{text!r} is not a time: write 2026-11-10T09:00Z, or how long ago: 2h, 7d") from None
    return at if at.tzinfo else at.replace(tzinfo=UTC)
