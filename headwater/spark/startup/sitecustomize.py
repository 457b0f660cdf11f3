"""Imported by Python as it starts, when `headwater-pyspark` put this folder in front of its path. It takes the folder
away again, so that neither the job nor its child processes see it, and lets the site's own file have its turn."""

import contextlib
import os
import sys

_here = os.path.dirname(__file__)
sys.path[:] = [entry for entry in sys.path if entry != _here]
_rest = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry not in ("", _here)]
if _rest:
    os.environ["PYTHONPATH"] = os.pathsep.join(_rest)
else:
    os.environ.pop("PYTHONPATH", None)

_ours = sys.modules.pop("sitecustomize")
with contextlib.suppress(ImportError):
    import sitecustomize  # type: ignore[import-not-found,unused-ignore]  # noqa: F401  the site's own, if there is one
sys.modules.setdefault("sitecustomize", _ours)

try:
    from headwater.spark import attaching
except Exception as e:  # the job goes on without lineage
    sys.stderr.write(f"headwater-pyspark: no lineage is reported: {type(e).__name__}: {e}\n")
else:
    attaching.install()
