import { Asked } from "@/parts/Asked";
import { type Found, useDataset } from "@/parts/asks";
import { ColumnsTab } from "@/views/details/ColumnsTab";
import { DatasetOverview } from "@/views/details/DatasetOverview";
import { EventsTab } from "@/views/details/EventsTab";
import { FacetsTab } from "@/views/details/FacetsTab";
import { SchemaTab } from "@/views/details/SchemaTab";
import { type Tab, TabbedPanel } from "@/views/details/TabbedPanel";
import { VersionsTab } from "@/views/details/VersionsTab";

interface Props {
  node: Found;
  onNavigate: (nodeId: string) => void;
}

export function DatasetDetails({ node, onNavigate }: Props) {
  const dataset = useDataset(node.namespace, node.name);
  return (
    <Asked asked={dataset} lines={8}>
      {(told) => {
        const about = { dataset: { namespace: told.namespace, name: told.name, aliases: told.aliases } };
        const tabs: Tab[] = [
          {
            id: "overview",
            name: "Overview",
            content: () => <DatasetOverview dataset={told} nodeId={node.nodeId} onNavigate={onNavigate} />,
          },
          { id: "schema", name: "Schema", content: () => <SchemaTab dataset={told} /> },
          {
            id: "columns",
            name: "Columns",
            content: () => <ColumnsTab dataset={told} column={node.column} onNavigate={onNavigate} />,
          },
          { id: "versions", name: "Writes", content: () => <VersionsTab dataset={told} onNavigate={onNavigate} /> },
          { id: "facets", name: "Facets", content: () => <FacetsTab facets={told.facets} /> },
        ];
        const content = () => <EventsTab about={about} until={told.updatedAt} />;
        tabs.push({ id: "events", name: "Events", content });
        return <TabbedPanel tabs={tabs} first={node.column === undefined ? undefined : "columns"} />;
      }}
    </Asked>
  );
}
