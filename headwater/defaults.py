"""Where a server listens, and where clients look for it, unless they are given something else."""

DEFAULT_HOST = "127.0.0.1"
DEFAULT_PORT = 5000
DEFAULT_URL = f"http://{DEFAULT_HOST}:{DEFAULT_PORT}"
