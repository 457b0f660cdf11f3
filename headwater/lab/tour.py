"""What to look at in a lab that runs the orders pipeline, and what to try: commands that work as they are."""

from headwater.lab.state import Lab


def text(lab: Lab, again: str) -> str:
    """`again` are the options that lead lab commands to this lab."""
    url = lab.service("headwater").url
    return f"""Ask, in another terminal (with PATH=$PWD/.venv/bin:$PATH):

  headwater lineage supplier_stats --url {url}
  headwater lab stop streams{again}"""
