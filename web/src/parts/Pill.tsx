import { Badge } from "@mantine/core";
import type { ReactNode } from "react";
import classes from "@/parts/parts.module.css";

interface Props {
  colour: string; // of Mantine's palette, or a CSS variable
  children: ReactNode;
  title?: string;
  square?: boolean;
}

/** A word in a colour, dark enough to be read on it. */
export function Pill({ colour, children, title, square = false }: Props) {
  return (
    <Badge
      component="span"
      className={classes.pill}
      variant="light"
      color={colour}
      size="sm"
      radius={square ? "sm" : "xl"}
      tt="none"
      fw={600}
      title={title}
    >
      {children}
    </Badge>
  );
}
