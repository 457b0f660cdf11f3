import { useCallback, useRef } from "react";

/** The keyboard's focus goes to what opens beside the page, and back to where it was when that closes. */
export function useBorrowedFocus(): (opened: HTMLElement | null) => void {
  const before = useRef<Element | null>(null);
  return useCallback((opened: HTMLElement | null) => {
    if (opened === null) {
      if (before.current instanceof HTMLElement) before.current.focus({ preventScroll: true });
      return;
    }
    before.current = document.activeElement;
    opened.focus({ preventScroll: true });
  }, []);
}
