/** Commands that work as they stand, for a server that has nothing yet. */

export interface Guide {
  id: string;
  name: string;
  steps: { what: string; command: string }[];
}

export function guides(origin: string, now: Date): Guide[] {
  return [
    {
      id: "curl",
      name: "curl",
      steps: [
        { what: "In a terminal, report a job that reads a topic and writes a table:", command: curl(origin, now) },
      ],
    },
    {
      id: "python",
      name: "Python",
      steps: [
        { what: "Install the OpenLineage client:", command: "pip install openlineage-python" },
        { what: "Then run:", command: python(origin) },
      ],
    },
    {
      id: "spark",
      name: "Spark",
      steps: [{ what: "Any Spark job, with the OpenLineage listener:", command: spark(origin) }],
    },
    {
      id: "others",
      name: "Airflow, dbt, Flink",
      steps: [
        {
          what: "Their OpenLineage integrations read this environment variable:",
          command: `export OPENLINEAGE_URL=${origin}`,
        },
      ],
    },
    {
      id: "demo",
      name: "Just look around",
      steps: [
        {
          what: "Start a second server with recorded events of an orders pipeline:",
          command: "headwater demo --port 5001",
        },
        { what: "Or send events from a file:", command: `headwater send events.jsonl --url ${origin}` },
      ],
    },
  ];
}

function curl(origin: string, now: Date): string {
  const event = {
    eventType: "COMPLETE",
    eventTime: now.toISOString(),
    producer: "https://example.com/my-first-event",
    schemaURL: "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    run: { runId: "0193a5c2-7d1e-7a51-9f0e-3a2b1c4d5e6f" },
    job: { namespace: "shop", name: "load_orders" },
    inputs: [{ namespace: "kafka://broker:9092", name: "orders" }],
    outputs: [{ namespace: "s3://warehouse", name: "orders" }],
  };
  // One line for each field: short enough to see whole, and to change.
  const lines = Object.entries(event).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `curl -i ${origin}/api/v1/lineage -H 'Content-Type: application/json' -d '{\n${lines.join(",\n")}\n}'`;
}

function python(origin: string): string {
  return `from datetime import datetime, timezone
from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.uuid import generate_new_uuid

client = OpenLineageClient(url="${origin}")
client.emit(RunEvent(
    eventType=RunState.COMPLETE,
    eventTime=datetime.now(timezone.utc).isoformat(),
    run=Run(runId=str(generate_new_uuid())),
    job=Job(namespace="shop", name="load_orders"),
    inputs=[InputDataset(namespace="kafka://broker:9092", name="orders")],
    outputs=[OutputDataset(namespace="s3://warehouse", name="orders")],
))`;
}

function spark(origin: string): string {
  return `spark-submit \\
  --packages io.openlineage:openlineage-spark_2.13:1.53.0 \\
  --conf spark.extraListeners=io.openlineage.spark.agent.OpenLineageSparkListener \\
  --conf spark.openlineage.transport.type=http \\
  --conf spark.openlineage.transport.url=${origin} \\
  my_job.py`;
}
