import { Menu, type MenuProps } from "@mantine/core";
import { type ReactElement, useEffect, useRef, useState } from "react";

interface Props extends Omit<MenuProps, "opened" | "onChange"> {
  button: ReactElement;
}

/** A menu that opens as soon as it is loaded: the click that requested it was on its button. */
export function OpenedMenu({ button, children, ...rest }: Props) {
  const place = useRef<HTMLSpanElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  useEffect(() => {
    // The button is another one than was clicked. The focus comes back to it when the menu closes.
    place.current?.querySelector("button")?.focus();
    setIsOpen(true);
  }, []);
  return (
    <span ref={place}>
      <Menu withinPortal {...rest} opened={isOpen} onChange={setIsOpen}>
        <Menu.Target>{button}</Menu.Target>
        <Menu.Dropdown>{children}</Menu.Dropdown>
      </Menu>
    </span>
  );
}
