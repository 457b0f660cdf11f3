"""What to look at in a lab that runs the orders pipeline, and what to try: commands that work as they are."""

from headwater.lab.state import Lab


def text(lab: Lab, again: str) -> str:
    """`again` are the options that lead lab commands to this lab."""
    kafka, url = f"kafka://{lab.service('kafka').url}", lab.service("headwater").url
    return f"""\
Orders flow, and the graph grows: open {url}
Or ask in another terminal (after `export PATH=$PWD/.venv/bin:$PATH`):

Where does the table of statistics come from, and its column total_price?

  headwater lineage dataset:s3://warehouse:supplier_stats --url {url}
  headwater lineage datasetField:s3://warehouse:supplier_stats:total_price --columns --direction upstream --url {url}

Somebody wants to drop the price from the orders. Whom would that break?

  headwater impact datasetField:{kafka}:orders:price --depth 1 --url {url}

The windows stop coming. Why? (And all is well again.)

  headwater lab stop streams{again}
  headwater why dataset:{kafka}:supplier-stats --since 1h --url {url}
  headwater lab start streams{again}

Orders get a new field, and the jobs go on. What has changed in the last two minutes?

  headwater lab run produce --schema 2 --count 1000{again}
  headwater diff 2m --url {url}

docs/tutorial.md goes on from here."""
