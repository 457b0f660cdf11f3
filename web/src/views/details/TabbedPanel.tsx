import { Tabs } from "@mantine/core";
import type { ReactNode } from "react";
import { useParam } from "@/parts/useParam";

export interface Tab {
  id: string;
  name: string;
  content: () => ReactNode; // made only when it is looked at
}

/** Tabs whose choice is in the address. */
export function TabbedPanel({ tabs, first }: { tabs: Tab[]; first?: string }) {
  const [tabId, setTab] = useParam("tab");
  const shown = tabs.find((tab) => tab.id === tabId) ?? tabs.find((tab) => tab.id === first) ?? tabs[0];
  return (
    <Tabs value={shown?.id ?? null} onChange={setTab} keepMounted={false}>
      <Tabs.List mb="md">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.id} value={tab.id} px="sm">
            {tab.name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {tabs.map((tab) => (
        <Tabs.Panel key={tab.id} value={tab.id}>
          {tab === shown && tab.content()}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
