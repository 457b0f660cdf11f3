import { createTheme } from "@mantine/core";

// Darker than Mantine's own shades: white text on `primary` and `primary` on white both pass WCAG AA.
export const theme = createTheme({
  primaryColor: "cyan",
  primaryShade: { light: 9, dark: 8 },
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  defaultRadius: "md",
  respectReducedMotion: true,
  cursorType: "pointer",
});
