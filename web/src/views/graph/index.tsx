import { Title } from "@mantine/core";

export default function GraphView() {
  return (
    <Title order={2} m="lg">
      Graph
    </Title>
  );
}
