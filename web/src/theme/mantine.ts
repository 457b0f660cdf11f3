import { createTheme, type MantineColorsTuple } from "@mantine/core";

// Mantine's cyan, but for the last two: white text passes WCAG AA on both, also where the pointer is (8).
const WATER: MantineColorsTuple = [
  "#e3fafc", "#c5f6fa", "#99e9f2", "#66d9e8", "#3bc9db", "#22b8cf", "#15aabf", "#1098ad", "#095c6b", "#0b7285",
]; // biome-ignore format: a row

export const theme = createTheme({
  colors: { water: WATER },
  primaryColor: "water",
  primaryShade: 9,
  autoContrast: true,
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
  defaultRadius: "md",
  respectReducedMotion: true,
  cursorType: "pointer",
});
