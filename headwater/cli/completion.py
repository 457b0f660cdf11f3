"""`headwater completion`"""

from typing import Literal

from headwater.cli import console
from headwater.cli.asking import Flag


def completion(shell: Literal["bash", "zsh", "fish"], /, *, install: Flag = False) -> None:
    """Print the completion script of a shell, or install it.

    Parameters
    ----------
    shell
        Which shell.
    install
        Write it where the shell looks for it, and say where that is.
    """
    from headwater.cli.main import app, import_all

    import_all()
    if install:
        console.show(f"{app.install_completion(shell=shell)}  (open a new shell)")
    else:
        console.write(app.generate_completion(shell=shell))
