"""`connector_lineage(…)`: the datasets and columns of a connector, from its configuration and Kafka's topics. Pure."""

from collections.abc import Mapping

from headwater.watch.connect import sinks, sources
from headwater.watch.connect.chain import Notes, steps
from headwater.watch.connect.extraction import Extraction, TopicCatalog
from headwater.watch.connect.lineage import Lineage
from headwater.watch.connect.mapping import ClassDescriptions


def connector_lineage(
    name: str, config: Mapping[str, str], kind: str, classes: ClassDescriptions, catalog: TopicCatalog
) -> Lineage:
    """`kind` is what Connect says: source or sink. Never raises for what is in a configuration: what is missing or
    not understood is in `notes`."""
    class_name = config.get("connector.class", "")
    connector = classes.connector(class_name)
    notes = Notes()
    extraction = Extraction(name, config, steps(config, notes), classes, catalog, notes=notes)
    if connector is None:
        notes.add(f"unknown connector class {class_name or '(none)'}: only its topics are reported")
    elif kind not in ("source", "sink"):
        kind = connector.kind
    if connector is not None and connector.kind != kind:
        notes.add(f"Connect calls {class_name} a {kind}, its description calls it a {connector.kind}")
        connector = None
    if kind == "sink":
        sinks.extract(extraction, connector)
    else:
        sources.extract(extraction, connector)
    extraction.lineage.notes = list(notes)
    return extraction.lineage
