"""HTTP: intake, Marquez's API, health and metrics."""
