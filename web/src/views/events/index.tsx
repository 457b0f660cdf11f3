import { Title } from "@mantine/core";

export default function EventsView() {
  return (
    <Title order={2} m="lg">
      Events
    </Title>
  );
}
