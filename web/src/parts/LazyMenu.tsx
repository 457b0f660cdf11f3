import { ActionIcon, Tooltip } from "@mantine/core";
import type { ComponentType, ReactElement, ReactNode } from "react";
import { useLazy } from "@/parts/useLazy";

interface Props<P> {
  label: string;
  icon: ReactNode;
  isOff?: boolean;
  load: () => Promise<{ default: ComponentType<P & { button: ReactElement }> }>;
  menu: P;
}

/** A button whose menu is loaded with the first click. What it loads is an `OpenedMenu`. */
export function LazyMenu<P extends object>({ label, icon, isOff = false, load, menu }: Props<P>) {
  const [Menu, request] = useLazy(load);
  const button = (onClick?: () => void) => (
    <Tooltip label={label}>
      <ActionIcon variant="default" size={30} aria-label={label} disabled={isOff} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
  return Menu === null ? button(request) : <Menu {...menu} button={button()} />;
}
