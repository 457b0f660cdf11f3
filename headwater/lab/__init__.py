"""The lab: a whole data platform as ordinary processes on one machine, started and watched by one command.

`services.py` is the list of what runs. `supervisor.py` starts it in order and ends it; everything else serves
these two: `jars.py` downloads, `needs.py` looks whether the machine has what it takes, `ports.py` finds ports,
`health.py` asks each service a question that only a working one can answer, `state.py` is the file through
which the commands know of each other.
"""
