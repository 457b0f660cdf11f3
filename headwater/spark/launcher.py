"""`headwater-pyspark`: Python, with the agent attached to every Spark session that is set up for it.

    spark-submit --conf spark.pyspark.driver.python=headwater-pyspark --conf spark.headwater.url=http://… job.py

It becomes the Python that it is installed for, with the same arguments, so that scripts, `-m`, notebooks, exit
codes and tracebacks are what they always are. Only Python's own hook for site-wide set-up (sitecustomize) is ours.
"""

import os
import sys
from pathlib import Path

_STARTUP = str(Path(__file__).with_name("startup"))


def main() -> None:
    path = os.environ.get("PYTHONPATH")
    environment = os.environ | {"PYTHONPATH": f"{_STARTUP}{os.pathsep}{path}" if path else _STARTUP}
    os.execve(sys.executable, [sys.executable, *sys.argv[1:]], environment)  # noqa: S606 the user's own command


if __name__ == "__main__":
    main()
