"""One sentence for people, for each kind of suspect."""

from headwater.ids import Micros
from headwater.openlineage.timestamps import to_datetime
from headwater.shapes.why import SuspectKind
from headwater.why.amounts import Jump
from headwater.why.dataset_history import SchemaStep
from headwater.why.pace import DAY, HOUR, MINUTE, SECOND, Trouble

_MOST_COLUMNS = 5


def moment(at: Micros) -> str:
    return f"{to_datetime(at):%Y-%m-%d %H:%M:%S} UTC"


def span(micros: float) -> str:
    """`90 s`, `25 min`, `36 h`, `4 days`: the largest unit of which there are two or more."""
    for unit, name in ((DAY, "days"), (HOUR, "h"), (MINUTE, "min")):
        if micros >= 2 * unit:
            return f"{micros / unit:.2g} {name}" if micros < 10 * unit else f"{micros / unit:.0f} {name}"
    return f"{micros / SECOND:.0f} s" if micros >= SECOND else f"{micros / SECOND:.1g} s"


def of_run(job: str, trouble: Trouble, at: Micros, error: str | None) -> str:
    if trouble.kind == SuspectKind.RUN_LATE:
        assert trouble.every is not None
        last = moment(trouble.run.order[0])
        return (
            f"Job {job} was due at {moment(trouble.at)} and has not run since {last}; "
            f"it usually runs every {span(trouble.every)}."
        )
    if trouble.kind == SuspectKind.RUN_STUCK:
        return _stuck(job, trouble, at)
    verb = "was aborted" if trouble.kind == SuspectKind.RUN_ABORTED else "failed"
    reason = f": {error.splitlines()[0].strip()}" if error and error.strip() else ""
    again = f" A new run has been under way since {moment(trouble.again.order[0])}." if trouble.again else ""
    return f"Job {job} {verb} at {moment(trouble.at)}{reason.rstrip('.')}.{again}"


def _stuck(job: str, trouble: Trouble, at: Micros) -> str:
    silent = f"Job {job} is RUNNING but has given no sign for {span(at - trouble.at)}"
    if trouble.takes is not None:
        ran = span(at - trouble.run.order[0])
        return f"Job {job} has been running for {ran}; it usually takes {span(trouble.takes)}."
    if trouble.every is not None:
        return f"{silent}; it usually gives one every {span(trouble.every)}."
    return f"{silent}."


def of_schema(dataset: str, step: SchemaStep) -> str:
    parts = [f"{r.name} is {r.after} instead of {r.before}" for r in step.retyped]
    parts += [f"{r.name} is gone" for r in step.removed]
    parts += [f"{r.name} is new" for r in step.added]
    more = len(parts) - _MOST_COLUMNS
    shown = parts if more <= 1 else [*parts[:_MOST_COLUMNS], f"and {more} more changes"]
    return f"The schema of {dataset} changed at {moment(step.at)}: {', '.join(shown)}."


def of_drop(dataset: str, at: Micros) -> str:
    return f"Dataset {dataset} was dropped at {moment(at)}."


def of_rename(dataset: str, previous: str, at: Micros) -> str:
    return f"Dataset {dataset} was {previous} until it was renamed at {moment(at)}."


_UNITS = {"rowCount": "rows", "size": "bytes", "fileCount": "files"}


def of_jump(job: str, dataset: str, jump: Jump, at: Micros) -> str:
    verb = f"wrote {_number(jump.after)} {_UNITS[jump.statistic]} to" if jump.output else ""
    verb = verb or f"read {_number(jump.after)} {_UNITS[jump.statistic]} from"
    return f"Job {job} {verb} {dataset} at {moment(at)}; before, it was about {_number(jump.before)}."


def _number(value: float) -> str:
    return f"{value:,.0f}"
