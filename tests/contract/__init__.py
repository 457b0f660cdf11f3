"""What every store must do. A new one is added to the lists in conftest.py, nothing else."""
