import { type ResolvedNode, useDataset } from "@/api/hooks";
import { QueryResult } from "@/parts/QueryResult";
import { ColumnsTab } from "@/views/details/ColumnsTab";
import { DatasetOverview } from "@/views/details/DatasetOverview";
import { EventsTab } from "@/views/details/EventsTab";
import { FacetsTab } from "@/views/details/FacetsTab";
import { SchemaTab } from "@/views/details/SchemaTab";
import { type Tab, TabbedPanel } from "@/views/details/TabbedPanel";
import { VersionsTab } from "@/views/details/VersionsTab";

interface Props {
  node: ResolvedNode;
  onNavigate: (nodeId: string) => void;
}

export function DatasetDetails({ node, onNavigate }: Props) {
  const dataset = useDataset(node.namespace, node.name);
  return (
    <QueryResult query={dataset} lines={8}>
      {(data) => {
        const about = { dataset: { namespace: data.namespace, name: data.name, aliases: data.aliases } };
        const tabs: Tab[] = [
          {
            id: "overview",
            name: "Overview",
            content: () => <DatasetOverview dataset={data} nodeId={node.nodeId} onNavigate={onNavigate} />,
          },
          { id: "schema", name: "Schema", content: () => <SchemaTab dataset={data} /> },
          {
            id: "columns",
            name: "Columns",
            content: () => <ColumnsTab dataset={data} column={node.column} onNavigate={onNavigate} />,
          },
          { id: "versions", name: "Writes", content: () => <VersionsTab dataset={data} onNavigate={onNavigate} /> },
          { id: "facets", name: "Facets", content: () => <FacetsTab facets={data.facets} /> },
        ];
        const content = () => <EventsTab about={about} until={data.updatedAt} />;
        tabs.push({ id: "events", name: "Events", content });
        return <TabbedPanel tabs={tabs} first={node.column === undefined ? undefined : "columns"} />;
      }}
    </QueryResult>
  );
}
