"""The lab: a whole data platform as ordinary processes on one machine, started and watched by one command.

`services.py` is the list of what runs, with the catalog from `metastore.py` and the orders pipeline from
`pipeline.py`. `supervisor.py` starts it in order and ends it; everything else serves these: `planning.py` decides
what a lab is going to be and `needs.py` looks whether the machine has what that takes, `jars.py` downloads,
`ports.py` finds ports, `health.py` asks each service a question that only a working one can answer (`kafka.py`,
`thrift.py`, `s3.py`, `iceberg.py` know the protocols), `state.py` is the file through which the commands know of
each other, `tour.py` tells people what to try.
"""
