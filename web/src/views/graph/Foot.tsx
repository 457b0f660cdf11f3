import { useMemo } from "react";
import type { Palette } from "@/graph/palette";
import type { Card, Scene } from "@/graph/scene";
import type { Visible } from "@/graph/visible";
import { Legend } from "@/views/graph/Legend";
import { MiniMap } from "@/views/graph/MiniMap";
import classes from "@/views/graph/Panels.module.css";
import { TIME_BAR } from "@/views/graph/sizes";

interface Props {
  scene: Scene;
  visible: Visible;
  palette: Palette;
  window: { width: number; height: number };
  colourOf: (namespace: string) => string;
  colourOfCard: (card: Card) => string;
  hasColumns: boolean;
  hasTime: boolean;
  onOnly: (namespace: string) => void;
}

/** What lies over the lower end of the graph: the map and the legend. */
export function Foot({ scene, visible, palette, window, colourOf, colourOfCard, hasColumns, hasTime, onOnly }: Props) {
  const namespaces = useMemo(
    () => [...new Set([...visible.nodes.values()].map((node) => node.namespace))].sort(),
    [visible.nodes],
  );
  if (scene.cards.size === 0) return null;
  return (
    <div className={classes.foot} data-time={hasTime} style={{ bottom: hasTime ? TIME_BAR : 0 }}>
      <div className={classes.corner}>
        <MiniMap scene={scene} palette={palette} colourOf={colourOfCard} window={window} />
      </div>
      <Legend namespaces={namespaces} colourOf={colourOf} hasColumns={hasColumns} onOnly={onOnly} />
    </div>
  );
}
