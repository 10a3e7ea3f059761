#!/usr/bin/env python3
"""Scores an engine's chances of win, draw and loss in endings with a known result.

    scripts/endings.py [PROGRAM] [--nodes N] [--file FILE] [--option NAME=VALUE ...] [--each]

Every position of tests/data/endings.tsv is searched with N nodes over UCI with UCI_ShowWDL. The score is the log loss: the
mean of -ln(p), where p is the chance that the engine gives to the true result, at least 0.001. The chances of an engine
that knows nothing, a third each, have 1.099. --each prints the loss, the score and the chances of each position too.

Exit status: 0 the engine was scored, 2 wrong arguments or no answer of the engine.
"""

import argparse
import math
import sys
from pathlib import Path

from uci import Engine

RESULTS = ["1-0", "1/2-1/2", "0-1"]


def main():
    root = Path(__file__).parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=root / "target/release/chuhe")
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument("--file", type=Path, default=root / "tests/data/endings.tsv")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--each", action="store_true")
    arguments = parser.parse_args()
    if arguments.nodes < 1:
        parser.error("--nodes must be at least 1")
    losses = {True: [], False: []}
    try:
        engine = Engine(arguments.program, ["UCI_ShowWDL=true", *arguments.option])
        rows = [line.split("\t") for line in arguments.file.read_text("utf-8").splitlines() if not line.startswith("#")]
        if not rows or any(len(row) < 3 or row[1] not in RESULTS for row in rows):
            raise ValueError(f"{arguments.file}: lines must have a position, a result and a name, with tabs between them")
        for fen, result, name, *_ in rows:
            score, chances = engine.chances(f"fen {fen}", arguments.nodes)
            is_drawn = result == "1/2-1/2"
            wins = (result == "1-0") == (fen.split()[1] == "w")
            loss = -math.log(max(chances[1 if is_drawn else 0 if wins else 2], 0.001))
            losses[is_drawn].append(loss)
            if arguments.each:
                print(f"{loss:.3f}\t{result}\t{score}\t{chances}\t{name}\t{fen}", flush=True)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    for name, part in [("all", losses[True] + losses[False]), ("drawn", losses[True]), ("won", losses[False])]:
        if part:
            print(f"{name}: {len(part)} endings, log loss {sum(part) / len(part):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
