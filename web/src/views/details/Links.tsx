import { Anchor, Group } from "@mantine/core";
import { IconExternalLink } from "@tabler/icons-react";
import type { FacetLink } from "@/views/details/links";

/** Ways out: to code, and to the engine's own pages. */
export function Links({ links }: { links: FacetLink[] }) {
  return (
    <Group gap="md" mt={4}>
      {links.map((link) => (
        <Anchor key={link.href} href={link.href} target="_blank" rel="noreferrer noopener" size="sm" title={link.href}>
          {link.name} <IconExternalLink size={13} aria-label="(external link)" />
        </Anchor>
      ))}
    </Group>
  );
}
