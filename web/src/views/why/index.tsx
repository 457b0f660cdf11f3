import { Title } from "@mantine/core";

export default function WhyView() {
  return (
    <Title order={2} m="lg">
      Why
    </Title>
  );
}
