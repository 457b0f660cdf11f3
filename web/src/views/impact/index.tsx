import { Title } from "@mantine/core";

export default function ImpactView() {
  return (
    <Title order={2} m="lg">
      Impact
    </Title>
  );
}
