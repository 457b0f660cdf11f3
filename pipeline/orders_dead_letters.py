"""orders-dead-letters: records that are not orders, unchanged, with the reason and their position in the topic."""

import sys

from pyspark.sql.streaming import StreamingQuery

from pipeline import application, records
from pipeline.jobs import Context, Job, Prepared
from pipeline.schemas import DEAD_LETTERS

NAME = "orders-dead-letters"


def start(context: Context, prepared: Prepared) -> StreamingQuery:
    return (
        prepared(records.dead_letters(context.decoded()))
        .outputMode("append")
        .format("kafka")
        .option("kafka.bootstrap.servers", context.settings.kafka)
        .option("topic", DEAD_LETTERS)
        .start()
    )


JOB = Job(NAME, start, every=5)

if __name__ == "__main__":
    sys.exit(application.main([JOB], __doc__))
