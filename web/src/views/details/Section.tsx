import { Title } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "@/views/details/details.module.css";

/** A part of a tab with a small heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={classes.section}>
      <Title order={3} size="h5" mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
