"""Graphs as boxes and arrows."""

from headwater.draw.drawing import Arrow, drawing_of
from tests.support.graphs import columns, graph


def test_every_node_is_a_box_and_every_edge_an_arrow() -> None:
    drawn = drawing_of(graph(("d:orders", "j:load"), ("j:load", "d:lake"), states={"j:load": "RUNNING"}))
    assert list(drawn.boxes) == ["dataset:ns:orders", "job:ns:load", "dataset:ns:lake"]
    assert [(a.origin, a.destination) for a in drawn.arrows] == [
        ("dataset:ns:orders", "job:ns:load"),
        ("job:ns:load", "dataset:ns:lake"),
    ]
    assert drawn.boxes["job:ns:load"].state == "RUNNING"
    assert drawn.boxes["dataset:ns:orders"].state is None


def test_edges_to_nodes_that_are_not_in_the_answer_are_left_out() -> None:
    whole = graph(("d:orders", "j:load"), ("j:load", "d:lake"))
    whole.graph.pop()
    assert [a.destination for a in drawing_of(whole).arrows] == ["job:ns:load"]


def test_columns_that_only_filter_are_indirect() -> None:
    drawn = drawing_of(
        columns(
            ("orders.price", "stats.total"),
            ("orders.day", "stats.total"),
            indirect=(("orders.day", "stats.total"),),
        )
    )
    indirect = {arrow.origin.rpartition(":")[2]: arrow.indirect for arrow in drawn.arrows}
    assert indirect == {"price": False, "day": True}


def test_a_child_job_is_called_by_what_differs_from_its_parent() -> None:
    whole = graph(alone=("j:app.write",))
    whole.graph[0].data["simpleName"] = "write"
    assert drawing_of(whole).boxes["job:ns:app.write"].title == "write"


def test_a_question_about_a_dataset_has_all_its_columns_in_focus() -> None:
    whole = columns(("orders.price", "stats.total"), ("orders.price", "stats.mean"))
    assert drawing_of(whole, "dataset:ns:stats").focus == {"datasetField:ns:stats:total", "datasetField:ns:stats:mean"}
    assert drawing_of(whole, "datasetField:ns:stats:mean").focus == {"datasetField:ns:stats:mean"}


def test_only_what_is_downstream() -> None:
    whole = graph(("d:a", "j:x"), ("j:x", "d:b"), ("d:b", "j:y"), ("d:c", "j:y"))
    drawn = drawing_of(whole, "dataset:ns:b").downstream()
    assert set(drawn.boxes) == {"dataset:ns:b", "job:ns:y"}
    assert drawn.arrows == (Arrow("dataset:ns:b", "job:ns:y"),)


def test_the_nearest_are_kept_when_there_are_too_many() -> None:
    chain = graph(*((f"d:{n}", f"j:{n}") for n in range(9)), *((f"j:{n}", f"d:{n + 1}") for n in range(9)))
    drawn = drawing_of(chain, "dataset:ns:4").nearest(5)
    assert set(drawn.boxes) == {"dataset:ns:4", "job:ns:3", "job:ns:4", "dataset:ns:3", "dataset:ns:5"}


def test_going_round_in_a_circle_ends() -> None:
    drawn = drawing_of(graph(("d:a", "j:x"), ("j:x", "d:a")), "dataset:ns:a")
    assert len(drawn.downstream().boxes) == len(drawn.nearest(10).boxes) == 2
