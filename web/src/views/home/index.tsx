import { Title } from "@mantine/core";

export default function HomeView() {
  return (
    <Title order={2} m="lg">
      Home
    </Title>
  );
}
