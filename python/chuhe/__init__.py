"""The Xiangqi engine Chuhe (楚河).

The package installs the program `chuhe`: `chuhe web` opens a board, and clients of UCCI or UCI start it without
arguments. `engine_path()` returns its path for them:

    import chuhe
    from cchess.engine import UcciEngine

    engine = UcciEngine()
    engine.load(chuhe.engine_path())
"""

from importlib.metadata import files as _files

__all__ = ["engine_path"]


def engine_path():
    """Returns the absolute path of the program, as text."""
    for file in _files(__name__) or ():
        if file.name in ("chuhe", "chuhe.exe"):
            return str(file.locate().resolve())
    raise FileNotFoundError("the program of the package chuhe is missing; install the package again")
