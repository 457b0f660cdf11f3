import { Title } from "@mantine/core";

export default function SearchView() {
  return (
    <Title order={2} m="lg">
      Search
    </Title>
  );
}
