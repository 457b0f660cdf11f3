import { Anchor, List, Stack, Tabs, Text, Title } from "@mantine/core";
import { Copyable } from "@/parts/Copyable";
import { type Guide, guides } from "@/parts/firstEvent";
import parts from "@/parts/parts.module.css";

/** How to send the first event to an empty server. */
export default function GettingStarted() {
  const all = guides(location.origin, new Date());
  return (
    <section className={parts.tile} aria-labelledby="begin">
      <Stack gap="sm" maw={860}>
        <Title order={2} size="h4" id="begin">
          Send the first event
        </Title>
        <Text size="sm">
          No events yet. Headwater accepts OpenLineage events at <code>{location.origin}</code>. This page updates by
          itself when the first one arrives.
        </Text>
        <Tabs defaultValue={all[0]?.id} keepMounted={false}>
          <Tabs.List>
            {all.map((guide) => (
              <Tabs.Tab key={guide.id} value={guide.id}>
                {guide.name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {all.map((guide) => (
            <Tabs.Panel key={guide.id} value={guide.id} pt="sm">
              <Steps guide={guide} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <Text size="sm" c="dimmed">
          The API is described at{" "}
          <Anchor href="/schema/openapi.json" underline="always">
            /schema/openapi.json
          </Anchor>
          .
        </Text>
      </Stack>
    </section>
  );
}

function Steps({ guide }: { guide: Guide }) {
  return (
    <List type="ordered" size="sm" spacing="sm" listStyleType="none">
      {guide.steps.map((step) => (
        <li key={step.what}>
          <Text size="sm" mb={4}>
            {step.what}
          </Text>
          <Copyable text={step.command} label={`the command for ${guide.name}`} />
        </li>
      ))}
    </List>
  );
}
