import { Alert, Button, Stack, Table, Text } from "@mantine/core";
import { IconPlugConnected, IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import type { ConnectCluster, Connector } from "@/api/schema";
import { Copyable } from "@/parts/Copyable";
import { Empty } from "@/parts/Empty";
import { plural } from "@/parts/format";
import { Page } from "@/parts/Page";
import parts from "@/parts/parts.module.css";
import { QueryResult } from "@/parts/QueryResult";
import { StateBadge } from "@/parts/StateBadge";
import { setParams, useParam } from "@/parts/useParam";
import { ConnectorPanel } from "@/views/connectors/ConnectorPanel";
import classes from "@/views/connectors/connectors.module.css";
import { Deploy } from "@/views/connectors/Deploy";
import { useClusters, useConnectors } from "@/views/connectors/queries";
import { lagOf, rateOf, shortClass, stateOf, tasksOf } from "@/views/connectors/summary";

/** The connectors of all clusters that the server knows, and the one that was picked beside them. */
export default function ConnectorsView() {
  const clusters = useClusters();
  const [cluster] = useParam("cluster");
  const [name] = useParam("connector");
  const [isDeploying, setDeploying] = useState(false);
  const known = clusters.data?.clusters ?? [];
  const mayChange = clusters.data?.operable ?? false;
  return (
    <Page
      title="Connectors"
      about="Connectors in Kafka Connect: state, tasks, errors and throughput."
      actions={
        mayChange &&
        known.length > 0 && (
          <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setDeploying(true)}>
            Deploy
          </Button>
        )
      }
    >
      <QueryResult query={clusters} lines={4}>
        {({ clusters: all }) =>
          all.length === 0 ? (
            <NoClusters />
          ) : (
            <div className={classes.split} data-open={name !== null}>
              <Stack gap="sm" miw={0}>
                <Silent clusters={all} />
                <List picked={name === null ? null : `${cluster}/${name}`} />
              </Stack>
              {name !== null && cluster !== null && (
                <ConnectorPanel key={`${cluster}/${name}`} cluster={cluster} name={name} mayChange={mayChange} />
              )}
            </div>
          )
        }
      </QueryResult>
      {isDeploying && <Deploy clusters={known.map((each) => each.name)} onClose={() => setDeploying(false)} />}
    </Page>
  );
}

function Silent({ clusters }: { clusters: ConnectCluster[] }) {
  return clusters
    .filter((cluster) => cluster.problem !== null)
    .map((cluster) => (
      <Alert key={cluster.name} color="red" variant="light" title={`${cluster.name} does not answer`} role="alert">
        <Text size="sm" className={parts.free}>
          {cluster.problem}
        </Text>
      </Alert>
    ));
}

function List({ picked }: { picked: string | null }) {
  const query = useConnectors();
  return (
    <QueryResult query={query} lines={6}>
      {({ connectors }) =>
        connectors.length === 0 ? (
          <Empty Icon={IconPlugConnected} title="No connectors">
            None of the clusters has one. Deploy one here, or with <code>headwater connect create FILE</code>.
          </Empty>
        ) : (
          <Table.ScrollContainer minWidth={560}>
            <Table className={parts.table} highlightOnHover aria-label="Connectors">
              <Table.Thead>
                <Table.Tr>
                  {["Connector", "State", "Tasks", "Records", "Lag (records)", "Class"].map((head) => (
                    <Table.Th key={head}>{head}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {connectors.map((one) => (
                  <Row
                    key={`${one.cluster}/${one.name}`}
                    one={one}
                    isPicked={`${one.cluster}/${one.name}` === picked}
                  />
                ))}
              </Table.Tbody>
            </Table>
            <Text size="xs" c="dimmed" mt={6}>
              {plural(connectors.length, "connector")}. Records and lag as of the watcher's last poll.
            </Text>
          </Table.ScrollContainer>
        )
      }
    </QueryResult>
  );
}

function Row({ one, isPicked }: { one: Connector; isPicked: boolean }) {
  return (
    <Table.Tr aria-current={isPicked ? "true" : undefined}>
      <Table.Td>
        <button
          type="button"
          className={`${parts.node} ${parts.press}`}
          onClick={() => setParams({ cluster: one.cluster, connector: one.name, details: null }, { replace: false })}
        >
          <span className={parts.names}>
            <bdi className={parts.name}>{one.name}</bdi>
            <bdi className={parts.namespace}>
              {one.type} · {one.cluster}
            </bdi>
          </span>
        </button>
      </Table.Td>
      <Table.Td miw={104}>
        <StateBadge state={stateOf(one)} />
      </Table.Td>
      <Table.Td miw={96}>{tasksOf(one.tasks)}</Table.Td>
      <Table.Td>{rateOf(one.flow)}</Table.Td>
      <Table.Td>{lagOf(one.flow)}</Table.Td>
      <Table.Td title={one.className}>{shortClass(one.className)}</Table.Td>
    </Table.Tr>
  );
}

function NoClusters() {
  return (
    <Empty Icon={IconPlugConnected} title="No Connect cluster configured">
      <Stack gap="xs">
        <span>
          Start the server with the address of a cluster. With --operate, you can also change connectors here.
        </span>
        <Copyable
          label="the command"
          text={"headwater serve --connect kafka-connect=http://127.0.0.1:8083 --operate"}
        />
        <span>To collect lineage, start the watcher:</span>
        <Copyable
          label="the command"
          text={"headwater watch connect --connect http://127.0.0.1:8083 --kafka 127.0.0.1:9092"}
        />
      </Stack>
    </Empty>
  );
}
