import { useCallback, useRef } from "react";

/** For what opens beside the page: the keyboard's focus goes there, and back to where it was when it closes. */
export function useNonModalFocus(): (opened: HTMLElement | null) => void {
  const before = useRef<Element | null>(null);
  return useCallback((opened: HTMLElement | null) => {
    if (opened === null) {
      if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
      return;
    }
    // Mantine takes every drawer for one that blocks the page; this one leaves it to be read and used.
    opened.removeAttribute("aria-modal");
    before.current = document.activeElement;
    opened.focus({ preventScroll: true });
  }, []);
}
