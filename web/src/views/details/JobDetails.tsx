import { type ResolvedNode, useJob } from "@/api/hooks";
import { QueryResult } from "@/parts/QueryResult";
import { useParam } from "@/parts/useParam";
import { CodeTab, hasCode } from "@/views/details/CodeTab";
import { EventsTab } from "@/views/details/EventsTab";
import { FacetsTab } from "@/views/details/FacetsTab";
import { JobOverview } from "@/views/details/JobOverview";
import { RunsTab } from "@/views/details/RunsTab";
import { RunTab } from "@/views/details/RunTab";
import { type Tab, TabbedPanel } from "@/views/details/TabbedPanel";

interface Props {
  node: ResolvedNode;
  onNavigate: (nodeId: string) => void;
}

export function JobDetails({ node, onNavigate }: Props) {
  const job = useJob(node.namespace, node.name);
  const [runId] = useParam("run");
  return (
    <QueryResult query={job} lines={8}>
      {(data) => {
        const tabs: Tab[] = [
          { id: "overview", name: "Overview", content: () => <JobOverview job={data} onNavigate={onNavigate} /> },
          { id: "runs", name: "Runs", content: () => <RunsTab namespace={node.namespace} name={node.name} /> },
        ];
        const shownRun = runId ?? data.latestRun?.id;
        if (shownRun !== undefined) {
          const content = () => <RunTab runId={shownRun} onNavigate={onNavigate} />;
          tabs.push({ id: "run", name: runId === null ? "Latest run" : "Run", content });
        }
        if (hasCode(data.facets))
          tabs.push({ id: "code", name: "Code", content: () => <CodeTab facets={data.facets} /> });
        tabs.push({ id: "facets", name: "Facets", content: () => <FacetsTab facets={data.facets} /> });
        const about = { job: { namespace: node.namespace, name: node.name } };
        tabs.push({ id: "events", name: "Events", content: () => <EventsTab about={about} until={data.updatedAt} /> });
        return <TabbedPanel tabs={tabs} first={runId === null ? undefined : "run"} />;
      }}
    </QueryResult>
  );
}
