"""The embedded store: two SQLite files in one folder, `log.db` and `tables.db`.

The log is the truth and is written with fsync. The tables can always be made anew from it,
so they are written without, and only as often as needed.
"""
