"""Drawings as text for other programs: Graphviz and Mermaid."""

from headwater.draw.drawing import DATASET, JOB, Box, Drawing

COLOURS = {"COMPLETED": "#2e7d32", "RUNNING": "#1565c0", "FAILED": "#c62828", "ABORTED": "#ef6c00", "NEW": "#616161"}


def dot(drawing: Drawing) -> str:
    lines = ["digraph lineage {", "  rankdir=LR;", '  node [fontname="sans-serif", fontsize=11];']
    for box in drawing.boxes.values():
        shape = {JOB: "box, style=rounded", DATASET: "cylinder"}.get(box.kind, "plaintext")
        attributes = [f"label={_dot_text(_label(box))}", f"shape={shape}"]
        if box.state in COLOURS:
            attributes.append(f'color="{COLOURS[box.state]}"')
        if box.id in drawing.focus:
            attributes.append("penwidth=3")
        lines.append(f"  {_dot_text([box.id])} [{', '.join(attributes)}];")
    for arrow in drawing.arrows:
        style = " [style=dashed]" if arrow.indirect else ""
        lines.append(f"  {_dot_text([arrow.origin])} -> {_dot_text([arrow.destination])}{style};")
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(drawing: Drawing) -> str:
    names = {box: f"n{number}" for number, box in enumerate(drawing.boxes)}
    lines = ["flowchart LR"]
    for box in drawing.boxes.values():
        left, right = {JOB: ("([", "])"), DATASET: ("[(", ")]")}.get(box.kind, ("[", "]"))
        lines.append(f'  {names[box.id]}{left}"{"<br/>".join(map(_mermaid_text, _label(box)))}"{right}')
    for arrow in drawing.arrows:
        line = "-.->" if arrow.indirect else "-->"
        lines.append(f"  {names[arrow.origin]} {line} {names[arrow.destination]}")
    for state in sorted({box.state for box in drawing.boxes.values() if box.state in COLOURS and box.state}):
        those = ",".join(names[box.id] for box in drawing.boxes.values() if box.state == state)
        lines += [f"  classDef {state} stroke:{COLOURS[state]},stroke-width:2px", f"  class {those} {state}"]
    return "\n".join(lines) + "\n"


def _label(box: Box) -> list[str]:
    return [box.title, box.place, *((box.state,) if box.state else ())]


def _dot_text(lines: list[str]) -> str:
    return '"' + "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") for line in lines) + '"'


def _mermaid_text(text: str) -> str:
    """Everything that could end the label or begin markup, as Mermaid's own entity."""
    return "".join(c if c.isalnum() or c in " ._-/:" else f"#{ord(c)};" for c in text)
