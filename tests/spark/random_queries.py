"""Random SQL over three small tables of whole numbers, in which every construct meets every other.

All queries give the same answer for the same data, whatever the order of rows.
"""

import random
from typing import NamedTuple

COLUMNS = {"t": ("a", "b", "c", "d"), "u": ("k", "x", "y"), "v": ("k", "z")}


class Query(NamedTuple):
    sql: str
    tables: set[str]


class _Part(NamedTuple):
    sql: str
    columns: list[str]
    tables: set[str]


def random_query(chance: random.Random) -> Query:
    part = _table(chance)
    # Without filters, joins and groups nothing is foreseen for all columns at once, and each one must be right.
    steps = chance.choice([_STEPS, _STEPS, [_project]])
    for _ in range(chance.randrange(2, 6)):
        part = chance.choice(steps)(part, chance)
    return Query(part.sql, part.tables)


def _table(chance: random.Random) -> _Part:
    name = chance.choice(list(COLUMNS))
    return _Part(f"select * from {name}", list(COLUMNS[name]), {name})


def _new(chance: random.Random) -> str:
    """A name that no other column has."""
    return f"n{chance.randrange(10**9)}"


def _some(part: _Part, chance: random.Random, count: int) -> list[str]:
    return chance.sample(part.columns, min(count, len(part.columns)))


def _expression(part: _Part, chance: random.Random) -> str:
    p, q, r = (chance.choice(part.columns) for _ in range(3))
    return chance.choice(
        [
            p,
            f"{p} + {q}",
            f"{p} * 2 - {q} % 3",
            f"case when {p} > 3 then {q} else {r} end",
            f"case when {p} > 3 then {q} end",
            f"coalesce(nullif({p}, 2), {q})",
            f"if({p} > {q}, 1, 0)",
            f"greatest({p}, {q})",
            f"named_struct('m', {p}, 'n', {q}).n",
            f"array({p}, {q})[0]",
            f"element_at(map(1, {p}, 2, {q}), 2)",
            f"aggregate(array({p}, {q}), 0, (s, e) -> s + e)",
            f"size(filter(array({p}, {q}, {r}), e -> e > 2))",
            f"transform(array({p}, {q}), e -> e + {r})[1]",
            f"cast(hash({p}) % 100 as int)",
            "(select max(x) from u)",
            f"(select count(*) from v where v.k = q.{p})",
            f"cast({p} in (select k from u) as int)",
        ]
    )


def _tables_in(expression: str) -> set[str]:
    return ({"u"} if "from u" in expression else set()) | ({"v"} if "from v" in expression else set())


def _project(part: _Part, chance: random.Random) -> _Part:
    made = {_new(chance): _expression(part, chance) for _ in range(chance.randrange(1, 4))}
    unchanged = _some(part, chance, 2)
    columns = [*unchanged, *made]
    parts = [*unchanged, *(f"{e} as {n}" for n, e in made.items())]
    tables = part.tables.union(*map(_tables_in, made.values()))
    return _Part(f"select {', '.join(parts)} from ({part.sql}) q", columns, tables)


def _filter(part: _Part, chance: random.Random) -> _Part:
    p, q = chance.choice(part.columns), chance.choice(part.columns)
    condition = chance.choice(
        [
            f"{p} > 2",
            f"{p} <= {q}",
            f"{p} in (select k from v)",
            f"exists (select 1 from u where u.k = q.{p})",
            f"{p} is not null",
        ]
    )
    return _Part(f"select * from ({part.sql}) q where {condition}", part.columns, part.tables | _tables_in(condition))


def _join(part: _Part, chance: random.Random) -> _Part:
    other = _table(chance)
    kind = chance.choice(["join", "left join", "full outer join", "left semi join", "left anti join"])
    left, right = chance.choice(part.columns), chance.choice(other.columns)
    names = [_new(chance) for _ in part.columns]
    columns = [f"l.{c} as {n}" for c, n in zip(part.columns, names, strict=True)]
    if "semi" not in kind and "anti" not in kind:
        names += [_new(chance) for _ in other.columns]
        columns += [f"r.{c} as {n}" for c, n in zip(other.columns, names[len(part.columns) :], strict=True)]
    # Few columns go on, so that random queries do not become the product of everything.
    chosen = sorted(chance.sample(range(len(names)), min(4, len(names))))
    text = ", ".join(columns[n] for n in chosen)
    sql = f"select {text} from ({part.sql}) l {kind} ({other.sql}) r on l.{left} = r.{right}"
    return _Part(sql, [names[n] for n in chosen], part.tables | other.tables)


def _union(part: _Part, chance: random.Random) -> _Part:
    other = _table(chance)
    width = min(len(part.columns), len(other.columns))
    mine, theirs = _some(part, chance, width), chance.sample(other.columns, width)
    kind = chance.choice(["union all", "union", "intersect", "except"])
    sql = f"select {', '.join(mine)} from ({part.sql}) {kind} select {', '.join(theirs)} from ({other.sql})"
    return _Part(sql, mine, part.tables | other.tables)


def _aggregate(part: _Part, chance: random.Random) -> _Part:
    groups = _some(part, chance, chance.randrange(1, 3))
    value, other = chance.choice(part.columns), chance.choice(part.columns)
    function = chance.choice(
        [
            f"sum({value})",
            "count(*)",
            f"count(distinct {value})",
            f"max({value}) - min({other})",
            f"sum({value}) filter (where {other} > 2)",
            f"max({value} * 10 + {other})",
        ]
    )
    by = chance.choice([", ".join(groups), f"rollup({', '.join(groups)})", f"cube({', '.join(groups)})"])
    having = chance.choice(["", "", f" having count({other}) > 0"])
    made = _new(chance)
    sql = f"select {', '.join(groups)}, cast({function} as int) as {made} from ({part.sql}) group by {by}{having}"
    return _Part(sql, [*groups, made], part.tables)


def _window(part: _Part, chance: random.Random) -> _Part:
    value, by, order = (chance.choice(part.columns) for _ in range(3))
    # Ties get the same rank, and the frame is the whole partition: the order of rows does not show.
    function = chance.choice(
        [
            f"sum({value}) over (partition by {by})",
            f"dense_rank() over (partition by {by} order by {order})",
            f"max({value}) over (order by {order})",
            f"count({value}) over ()",
        ]
    )
    unchanged, made = _some(part, chance, 3), _new(chance)
    columns = ", ".join([*unchanged, f"cast({function} as int) as {made}"])
    return _Part(f"select {columns} from ({part.sql})", [*unchanged, made], part.tables)


def _explode(part: _Part, chance: random.Random) -> _Part:
    p, q = chance.choice(part.columns), chance.choice(part.columns)
    unchanged, one, two = _some(part, chance, 2), _new(chance), _new(chance)
    generator, made = chance.choice(
        [
            (f"explode(array({p}, {q}))", [one]),
            (f"inline(array(struct({p} as m, {q} as n)))", [one, two]),
            (f"explode(sequence(1, greatest(1, least(4, {p}))))", [one]),
            (f"stack(2, {p}, 1, {q}, 2)", [one, two]),
        ]
    )
    columns = ", ".join([*unchanged, *made])
    sql = f"select {columns} from ({part.sql}) lateral view {generator} w as {', '.join(made)}"
    return _Part(sql, [*unchanged, *made], part.tables)


def _shared(part: _Part, chance: random.Random) -> _Part:
    p, q = chance.choice(part.columns), chance.choice(part.columns)
    names, made = _some(part, chance, 2), _new(chance)
    columns = ", ".join([*(f"one.{n}" for n in names), f"two.{q} as {made}"])
    sql = f"with part as ({part.sql}) select {columns} from part one join part two on one.{p} = two.{p} + 1"
    return _Part(f"select * from ({sql})", [*names, made], part.tables)


def _pivot(part: _Part, chance: random.Random) -> _Part:
    if len(part.columns) < 3:
        return part
    group, by, value = chance.sample(part.columns, 3)
    names = [_new(chance) for _ in range(3)]
    inner = f"select {group} as g, {by} as by, {value} as value from ({part.sql})"
    pivoted = f"select * from ({inner}) pivot (sum(value) for by in (1 as one, 2 as two))"
    columns = f"g as {names[0]}, cast(one as int) as {names[1]}, cast(two as int) as {names[2]}"
    return _Part(f"select {columns} from ({pivoted})", names, part.tables)


def _distinct(part: _Part, chance: random.Random) -> _Part:
    unchanged = _some(part, chance, 3)
    return _Part(f"select distinct {', '.join(unchanged)} from ({part.sql})", unchanged, part.tables)


_STEPS = [
    _project, _project, _project, _filter, _join, _union, _aggregate, _window, _window, _explode, _shared, _pivot,
    _distinct,
]  # fmt: skip
