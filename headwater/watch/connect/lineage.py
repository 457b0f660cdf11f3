"""`lineage(…)`: the datasets and columns of a connector, from its configuration and what is known around it. Pure."""

from collections.abc import Mapping

from headwater.watch.connect import sinks, sources
from headwater.watch.connect.chain import Notes, steps
from headwater.watch.connect.found import Lineage, Search, World
from headwater.watch.connect.mapping import Known


def lineage(name: str, config: Mapping[str, str], kind: str, known: Known, world: World) -> Lineage:
    """`kind` is what Connect says: source or sink. What is missing or not understood is in `notes`; nothing is
    raised for what somebody wrote into a configuration."""
    class_name = config.get("connector.class", "")
    connector = known.connector(class_name)
    notes = Notes()
    search = Search(name, config, steps(config, notes), known, world, Lineage(), notes)
    if connector is None:
        notes.add(f"the class {class_name or '(none)'} is not known: only its topics are told")
    elif kind not in ("source", "sink"):
        kind = connector.kind
    if connector is not None and connector.kind != kind:
        notes.add(f"Connect says that {class_name} is a {kind}, our description says {connector.kind}")
        connector = None
    if kind == "sink":
        sinks.find(search, connector)
    else:
        sources.find(search, connector)
    search.found.notes = list(notes)
    return search.found
