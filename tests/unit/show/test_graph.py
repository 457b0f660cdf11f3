"""The tree in the terminal."""

from headwater.draw.drawing import drawing_of
from headwater.show.format import plain
from headwater.show.graph import path, tree
from tests.support.graphs import columns, graph

PIPELINE = graph(
    ("d:orders", "j:load"),
    ("j:load", "d:lake"),
    ("d:lake", "j:stats"),
    states={"j:load": "COMPLETED", "j:stats": "FAILED"},
)


def shown(direction: str, focus: str = "dataset:ns:lake") -> str:
    return plain(tree(drawing_of(PIPELINE, focus), direction))


def test_both_ways() -> None:
    assert shown("both") == (
        "dataset:ns:lake\n"
        "├── comes from\n"
        "│   └── job:ns:load  COMPLETED\n"
        "│       └── dataset:ns:orders\n"
        "└── goes to\n"
        "    └── job:ns:stats  FAILED\n"
    )


def test_one_way_only() -> None:
    assert "goes to" not in shown("upstream")
    assert "comes from" not in shown("downstream")


def test_what_comes_twice_is_spelled_out_once() -> None:
    whole = graph(("d:a", "j:x"), ("d:a", "j:y"), ("j:x", "d:b"), ("j:y", "d:b"), ("d:b", "j:z"))
    text = plain(tree(drawing_of(whole, "dataset:ns:a"), "downstream"))
    assert text.count("dataset:ns:b") == 2
    assert text.count("job:ns:z") == 1
    assert text.count("dataset:ns:b  (see above)") == 1


def test_a_circle_ends() -> None:
    text = plain(tree(drawing_of(graph(("d:a", "j:x"), ("j:x", "d:a")), "dataset:ns:a"), "downstream"))
    assert text.count("dataset:ns:a") == 2


def test_a_deep_chain_is_shown_whole() -> None:
    chain = graph(*((f"d:{n}", f"j:{n}") for n in range(600)), *((f"j:{n}", f"d:{n + 1}") for n in range(600)))
    text = plain(tree(drawing_of(chain, "dataset:ns:0"), "downstream"))
    assert "dataset:ns:600" in text


def test_siblings_are_counted() -> None:
    whole = graph(("d:a", "j:x"), ("d:a", "j:y"))
    text = plain(tree(drawing_of(whole, "job:ns:x"), "connected"))
    assert "and 1 node connected through shared inputs or outputs" in text


def test_a_node_alone_says_so() -> None:
    text = plain(tree(drawing_of(graph(alone=("d:a",)), "dataset:ns:a"), "both"))
    assert "nothing upstream, nothing downstream" in text


def test_a_node_that_was_not_there_says_so() -> None:
    assert "not in the graph at that time" in plain(tree(drawing_of(graph(), "dataset:ns:a"), "both"))


def test_every_column_of_a_dataset_has_a_tree() -> None:
    whole = columns(("orders.price", "stats.total"), ("orders.price", "stats.mean"))
    text = plain(tree(drawing_of(whole, "dataset:ns:stats"), "upstream"))
    assert text.count("comes from") == 2


def test_a_path_is_shown_from_either_end() -> None:
    for end in ("dataset:ns:orders", "job:ns:stats"):
        text = plain(path(drawing_of(PIPELINE, end), end, "x"))
        assert all(name in text for name in ("orders", "load", "lake", "stats"))


def test_no_path_is_shown_as_a_sentence() -> None:
    assert plain(path(drawing_of(graph()), "a:1", "b:2")) == "no path between a:1 and b:2\n"
