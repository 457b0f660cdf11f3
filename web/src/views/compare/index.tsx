import { Title } from "@mantine/core";

export default function CompareView() {
  return (
    <Title order={2} m="lg">
      Compare
    </Title>
  );
}
