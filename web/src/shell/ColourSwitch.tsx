import { ActionIcon, Tooltip, useComputedColorScheme, useMantineColorScheme } from "@mantine/core";
import { IconMoon, IconSun } from "@tabler/icons-react";

export function ColourSwitch() {
  const { setColorScheme } = useMantineColorScheme();
  const other = useComputedColorScheme("light") === "light" ? "dark" : "light";
  return (
    <Tooltip label={`Switch to ${other} mode`}>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={`Switch to ${other} mode`}
        onClick={() => setColorScheme(other)}
      >
        {other === "dark" ? <IconMoon size={18} /> : <IconSun size={18} />}
      </ActionIcon>
    </Tooltip>
  );
}
