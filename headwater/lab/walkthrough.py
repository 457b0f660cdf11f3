"""Commands to try in a lab that runs the orders pipeline; they work as printed."""

from headwater.lab.state import Lab


def text(lab: Lab, lab_options: str) -> str:
    """`lab_options` are the options with which lab commands find this lab."""
    kafka, url = f"kafka://{lab.service('kafka').url}", lab.service("headwater").url
    return f"""\
Orders are flowing. Open {url}, or try in another terminal
(after `export PATH=$PWD/.venv/bin:$PATH`):

Where does the table supplier_stats come from, and its column total_price?

  headwater lineage dataset:s3://warehouse:supplier_stats --url {url}
  headwater lineage datasetField:s3://warehouse:supplier_stats:total_price --columns --direction upstream --url {url}

Somebody wants to drop the column price from the orders. What would that break?

  headwater impact datasetField:{kafka}:orders:price --depth 1 --url {url}

The windows stop coming. Why? (The last command repairs it.)

  headwater lab stop streams{lab_options}
  headwater why dataset:{kafka}:supplier-stats --since 1h --url {url}
  headwater lab start streams{lab_options}

Orders get a new field, and the jobs keep running. What has changed in the last two minutes?

  headwater lab run produce --schema 2 --count 1000{lab_options}
  headwater diff 2m --url {url}

docs/tutorial.md continues from here."""
