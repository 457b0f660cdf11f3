"""Lines of progress, with the time."""

import time


def log(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)
