"""Lineage graphs as the server answers them, made by hand."""

from headwater.shapes.marquez import Graph, GraphEdge, GraphNode


def graph(*edges: tuple[str, str], alone: tuple[str, ...] = (), states: dict[str, str] | None = None) -> Graph:
    """`graph(("d:orders", "j:load"))`: `d:` a dataset and `j:` a job, each in the namespace `ns`."""
    pairs = [(_id(a), _id(b)) for a, b in edges]
    names = dict.fromkeys([*(n for edge in edges for n in edge), *alone])
    return Graph([_node(name, pairs, (states or {}).get(name)) for name in names])


def columns(*edges: tuple[str, str], indirect: tuple[tuple[str, str], ...] = ()) -> Graph:
    """`columns(("orders.price", "stats.total"))`: columns of datasets in the namespace `ns`."""
    pairs = [(_column(a), _column(b)) for a, b in edges]
    nodes = []
    for name in dict.fromkeys(n for edge in edges for n in edge):
        dataset, _, field = name.partition(".")
        inputs = [
            {
                "namespace": "ns",
                "dataset": a.partition(".")[0],
                "field": a.partition(".")[2],
                "transformations": [{"type": "INDIRECT" if (a, b) in indirect else "DIRECT"}],
            }
            for a, b in edges
            if b == name
        ]
        data = {"namespace": "ns", "dataset": dataset, "field": field, "inputFields": inputs}
        nodes.append(GraphNode(_column(name), "DATASET_FIELD", data, [], _out(_column(name), pairs)))
    return Graph(nodes)


def _id(name: str) -> str:
    kind, _, rest = name.partition(":")
    return f"{'job' if kind == 'j' else 'dataset'}:ns:{rest}"


def _column(name: str) -> str:
    dataset, _, field = name.partition(".")
    return f"datasetField:ns:{dataset}:{field}"


def _node(name: str, pairs: list[tuple[str, str]], state: str | None) -> GraphNode:
    kind, _, rest = name.partition(":")
    data = {"namespace": "ns", "name": rest, "latestRun": {"state": state} if state else None}
    return GraphNode(_id(name), "JOB" if kind == "j" else "DATASET", data, [], _out(_id(name), pairs))


def _out(node: str, pairs: list[tuple[str, str]]) -> list[GraphEdge]:
    return [GraphEdge(a, b) for a, b in pairs if a == node]
