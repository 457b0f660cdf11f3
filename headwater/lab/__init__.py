"""The lab: a whole data platform as ordinary processes on one machine, started and watched by one command.

`services.py` is the list of what runs, with the catalog from `metastore.py` and the orders pipeline from
`pipeline.py`. `supervisor.py` starts them in order and stops them. Before that, `plan.py` decides what to run,
`requirements.py` checks the machine, `jars.py` downloads and `ports.py` finds ports. `placeholders.py` fills in
commands and files, `health.py` asks each service a question that only a working one can answer (`kafka.py`,
`thrift.py`, `s3.py` and `iceberg.py` know the protocols), `state.py` is the file that all commands share,
`status.py` reads it, and `walkthrough.py` prints what to try.
"""
