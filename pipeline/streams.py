"""All streaming queries in one Spark application: half the memory and start-up time of one application each."""

import sys

from pipeline import application, iceberg_ingestion, orders_archive, orders_dead_letters, supplier_stats_stream

JOBS = (supplier_stats_stream.JOB, iceberg_ingestion.JOB, orders_archive.JOB, orders_dead_letters.JOB)

if __name__ == "__main__":
    sys.exit(application.main(JOBS, __doc__))
