import type { ReactNode } from "react";
import { CopyIcon } from "@/parts/CopyIcon";
import classes from "@/parts/parts.module.css";

interface Props {
  label: string; // what is in it
  text: string; // what the button copies
  className?: string;
  children: ReactNode;
}

/** A framed piece of code or data with a button that copies it. */
export function CodeArea({ label, text, className = "", children }: Props) {
  return (
    <div className={classes.codeBox}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className={`${classes.code} ${className}`} aria-label={label} tabIndex={0}>
        {children}
      </section>
      <CopyIcon text={text} label={label} />
    </div>
  );
}
