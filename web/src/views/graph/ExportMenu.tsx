import { Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import type { ReactElement } from "react";
import { type PictureStyle, toJson, toMermaid, toSvg } from "@/graph/exports";
import type { Scene } from "@/graph/scene";
import { download, svgToPng } from "@/parts/download";
import { OpenedMenu } from "@/parts/OpenedMenu";

interface Props {
  button: ReactElement;
  scene: Scene;
  style: PictureStyle;
}

/** All that is shown as a file, also what is outside of the window. */
export default function ExportMenu({ button, scene, style }: Props) {
  const text = (name: string, type: string, content: string) =>
    download(`lineage.${name}`, new Blob([content], { type }));
  const png = async () => {
    const svg = toSvg(scene, style);
    const [, , width, height] = (/viewBox="([^"]*)"/.exec(svg)?.[1] ?? "0 0 1 1").split(" ").map(Number);
    try {
      download("lineage.png", await svgToPng(svg, width ?? 1, height ?? 1));
    } catch {
      notifications.show({
        color: "red",
        title: "Cannot save as PNG",
        message: "The picture is too large for this browser. Save it as SVG instead.",
      });
    }
  };
  return (
    <OpenedMenu button={button} position="bottom-end">
      <Menu.Item onClick={() => text("svg", "image/svg+xml", toSvg(scene, style))}>SVG</Menu.Item>
      <Menu.Item onClick={png}>PNG</Menu.Item>
      <Menu.Item onClick={() => text("mmd", "text/plain", toMermaid(scene))}>Mermaid</Menu.Item>
      <Menu.Item onClick={() => text("json", "application/json", toJson(scene))}>JSON</Menu.Item>
    </OpenedMenu>
  );
}
