import { Anchor, List, Stack, Tabs, Text, Title } from "@mantine/core";
import { Copyable } from "@/parts/Copyable";
import { guides, type Way } from "@/parts/firstEvent";
import parts from "@/parts/parts.module.css";

/** An empty server teaches how it is filled. The page goes on by itself when the first event is in. */
export default function GettingStarted() {
  const ways = guides(location.origin, new Date());
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
        <Tabs defaultValue={ways[0]?.id} keepMounted={false}>
          <Tabs.List>
            {ways.map((way) => (
              <Tabs.Tab key={way.id} value={way.id}>
                {way.name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {ways.map((way) => (
            <Tabs.Panel key={way.id} value={way.id} pt="sm">
              <OneWay way={way} />
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

function OneWay({ way }: { way: Way }) {
  return (
    <List type="ordered" size="sm" spacing="sm" listStyleType="none">
      {way.steps.map((step) => (
        <li key={step.what}>
          <Text size="sm" mb={4}>
            {step.what}
          </Text>
          <Copyable text={step.command} label={`the command for ${way.name}`} />
        </li>
      ))}
    </List>
  );
}
