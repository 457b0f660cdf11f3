"""How the C library reuses memory."""

import ctypes
from contextlib import suppress

# From malloc.h.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3

# A batch of events is a block of a megabyte or two, and so are its copies. By default, glibc asks the
# system for such blocks and gives them back at once, and the system clears them page by page each time:
# that took a twelfth of the time of a batch.
_LARGE_BLOCK_BYTES, _SPARE_BYTES = 16 << 20, 64 << 20


def keep_large_blocks() -> None:
    """Makes glibc reuse blocks of up to some megabytes. Does nothing with other C libraries."""
    with suppress(OSError, AttributeError):
        mallopt = ctypes.CDLL(None).mallopt
        mallopt(_MMAP_THRESHOLD, _LARGE_BLOCK_BYTES)
        mallopt(_TRIM_THRESHOLD, _SPARE_BYTES)
