import { Kbd } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

/** Properties of the header's search box, the same before and after its suggestions are loaded. */
export const BOX = {
  "data-search": true,
  "aria-label": "Search jobs, datasets and columns",
  placeholder: "Search jobs, datasets, columns",
  leftSection: <IconSearch size={16} />,
  rightSection: <Kbd size="xs">/</Kbd>,
};
