"""Lineage graphs as drawings: DOT, Mermaid and SVG. Pure text, nothing else."""
