"""Events for hypothesis: few names and many kinds of reports about them, so that they meet."""

from typing import Any

from hypothesis import strategies as st

from headwater.model.edits import Deleted, NamespacePut, SourcePut, Tagged, TagPut, edit
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
            st.builds(lambda n, m: make.columns(x=[f"{n}.x", f"{m}.x"], y=[f"{n}.y"]), names, names),
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
entities = st.one_of(names.map(make.dataset_ref), names.map(lambda n: make.job_ref(f"job_{n}")))
moments = minutes.map(make.micros)
descriptions = st.sampled_from([None, "one", "other"])
edits = st.one_of(
    st.builds(
        lambda at, entities: edit(Deleted(at=at, entities=tuple(entities))),
        moments,
        st.lists(
            st.one_of(entities, st.sampled_from(["db", "jobs"]).map(lambda ns: ("namespace", ns, ""))),
            min_size=1,
            max_size=2,
        ),
    ),
    st.builds(
        lambda at, e, tag, field, on: edit(Tagged(at=at, entity=e, tag=tag, field=field, on=on)),
        moments,
        entities,
        names,
        st.sampled_from([None, "x"]),
        st.booleans(),
    ),
    st.builds(
        lambda at, name, owner, about: edit(NamespacePut(at=at, name=name, owner=owner, description=about)),
        moments,
        st.sampled_from(["db", "jobs", "new"]),
        names,
        descriptions,
    ),
    st.builds(
        lambda at, name, url, about: edit(SourcePut(at=at, name=name, kind="X", url=url, description=about)),
        moments,
        names,
        names,
        descriptions,
    ),
    st.builds(lambda at, name, about: edit(TagPut(at=at, name=name, description=about)), moments, names, descriptions),
)
events = st.lists(
    st.one_of(
        run_events,
        edits,
        st.builds(lambda m, t: {**make.dataset_event("x", t), "dataset": m}, mentions, minutes),
        st.builds(lambda n, t, f: make.job_event(f"job_{n}", t, f), names, minutes, job_facets),
    ),
    min_size=1,
    max_size=8,
)
