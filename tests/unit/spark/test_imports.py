"""What a Spark job has to load for its lineage."""

import subprocess
import sys


def test_nothing_but_the_standard_library_is_loaded_before_it_is_needed() -> None:
    program = """
import sys
before = set(sys.modules)
import headwater.spark
print(*sorted({name.partition(".")[0] for name in set(sys.modules) - before}))
print(*sorted(name for name in sys.modules if name.startswith("headwater.")))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded, ours = (line.split() for line in done.stdout.splitlines())
    assert set(loaded) - set(sys.stdlib_module_names) == {"headwater"}
    assert {name.split(".")[1] for name in ours} == {"emit", "spark"}
