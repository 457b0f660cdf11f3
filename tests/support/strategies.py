"""Events for hypothesis: few names, many kinds of things said of them, so that they meet."""

from typing import Any

from hypothesis import strategies as st

from tests.support import make

names = st.sampled_from(["a", "b", "c", "d"])
minutes = st.integers(0, 12).map(lambda n: n * 700)  # some further apart than a span's gap
mentions = st.builds(
    lambda name, facets: make.dataset(name, {k: v for f in facets for k, v in f.items()}),
    st.one_of(names, st.tuples(st.sampled_from(["kafka://b1", "kafka://b2,b1", "kafka://b2"]), names)),
    st.lists(
        st.one_of(
            st.builds(lambda n: make.symlinks(("db", n)), names),
            st.just({"symlinks": make.deleted()}),
            st.builds(lambda n: make.schema(n, "x"), names),
            st.builds(lambda n: make.columns(x=[f"{n}.x"], indirect=[f"{n}.y"]), names),
            st.just({"columnLineage": make.deleted()}),
            st.builds(lambda n: make.lifecycle("RENAME", previous=n), names),
            st.sampled_from(["CREATE", "DROP", "TRUNCATE"]).map(make.lifecycle),
            st.builds(lambda v: {"version": make.facet(datasetVersion=v)}, names),
            st.builds(lambda v: {"documentation": make.facet(description=v)}, names),
            st.builds(
                lambda n, m: {
                    "lineage": make.facet(
                        inputs=[{"type": "DATASET", "namespace": "db", "name": n}],
                        fields={m: {"inputs": [{"type": "DATASET", "namespace": "db", "name": n, "field": m}]}},
                    )
                },
                names,
                names,
            ),
        ),
        max_size=2,
    ),
)
job_facets: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({}),
    st.builds(
        lambda t, s: {
            "lineage": make.facet(
                entries=[
                    {
                        "type": "DATASET",
                        "namespace": "db",
                        "name": t,
                        "inputs": [{"type": "DATASET", "namespace": "db", "name": s}],
                        "fields": {t: {"inputs": [{"type": "DATASET", "namespace": "db", "name": s, "field": s}]}},
                    }
                ]
            )
        },
        names,
        names,
    ),
    st.just({"lineage": make.deleted()}),
)
run_events = st.builds(
    make.run,
    st.sampled_from([None, "START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"]),
    names.map(lambda n: f"job_{n}"),
    minutes,
    st.sampled_from(["r1", "r2", "r3"]),
    st.lists(mentions, max_size=2),
    st.lists(mentions, max_size=2),
    st.one_of(st.just({}), st.builds(make.parent, names.map(lambda n: f"job_{n}"), st.sampled_from(["r1", "r9"]))),
    job_facets,
)
events = st.lists(
    st.one_of(
        run_events,
        st.builds(lambda m, t: {**make.dataset_event("x", t), "dataset": m}, mentions, minutes),
        st.builds(lambda n, t, f: make.job_event(f"job_{n}", t, f), names, minutes, job_facets),
    ),
    min_size=1,
    max_size=8,
)
