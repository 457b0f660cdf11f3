"""`headwater completion`"""

from typing import Literal

from headwater.cli import console
from headwater.cli.query_options import Flag


def completion(shell: Literal["bash", "zsh", "fish"], /, *, install: Flag = False) -> None:
    """Print or install the completion script of a shell.

    Parameters
    ----------
    shell
        The shell.
    install
        Write it where the shell looks for it, and print the path.
    """
    from headwater.cli.main import app, import_all

    import_all()
    if install:
        console.show(f"{app.install_completion(shell=shell)}  (open a new shell to use it)")
    else:
        console.write(app.generate_completion(shell=shell))
