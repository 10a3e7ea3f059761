#!/usr/bin/env python3
"""Plays the matches of the first table in docs/strength.md again and writes the table.

    scripts/strength-table.py --elephanteye eleeye/ELEEYE --fairy fairy-stockfish --pikafish pikafish --write

Opponents whose program is not given are left out and keep their row; the match against Chuhe's own hand-made
evaluation needs no other program. Each match has a journal in the folder of --out, so that an interrupted run goes on
where it ended. The rows are printed; with --write they replace those of the page. Nothing else may run on the machine
meanwhile, or the clocks tell more about the machine than about the engines.

Exit status: 0 all matches were played, 1 a match failed, 2 wrong arguments.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/strength.md"
# First words of a row, option with the program, clock, games.
ELEPHANTEYE, FAIRY, PIKAFISH, OWN = range(4)
MATCHES = [
    ("| ElephantEye", "elephanteye", "2+0.02", 80),
    ("| Fairy-Stockfish", "fairy", "2+0.02", 100),
    ("| Pikafish", "pikafish", "2+0.02", 200),
    ("| Chuhe with its hand-made evaluation", None, "1+0.01", 400),
]
# Normal quantile of a 95 % interval.
Z = 1.959964


def opponent(number, program):
    """Returns the value of --engine for an opponent."""
    if number == OWN:
        return "name=opponent,option.knowledge=medium,option.hashsize=64,option.usebook=false,option.rawscores=true"
    path = Path(program).resolve()
    settings = f"name=opponent,cmd={path},dir={path.parent}"
    if number == ELEPHANTEYE:
        return settings + ",option.hashsize=64,option.usebook=false"
    if number == FAIRY:
        return settings + ",proto=uci,option.Hash=64,option.Threads=1,option.UCI_Variant=xiangqi,option.Use NNUE=false"
    return settings + ",proto=uci,option.Hash=64,option.Threads=1"


def play(arguments, number, program):
    """Plays one match and returns the standing of Chuhe, or None if it failed."""
    _, name, clock, games = MATCHES[number]
    journal = Path(arguments.out) / f"{name or 'hand-made'}.jsonl"
    # Without a command it is the program that plays the match, and the journal of another build is refused.
    # Raw scores keep the meaning of the bound of adjudication, and make journals for scripts/win-model.py.
    own = "name=Chuhe,option.hashsize=64,option.usebook=false,option.rawscores=true"
    command = [
        arguments.chuhe, "match", "--engine", own, "--engine", opponent(number, program), "--tc", clock,
        "--games", str(games), "--concurrency", str(arguments.concurrency), "--margin", "60",
        "--adjudicate-win", "score=1200,plies=6", "--resume", str(journal), "--json",
    ]
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        print(f"strength-table: the match against {name or 'the hand-made evaluation'} ended with status "
              f"{result.returncode}; the same command continues it", file=sys.stderr)
        return None
    return json.loads(result.stdout.splitlines()[-1])["standings"][0]


def elo(score):
    """Returns the Elo difference of an expected score."""
    return 400 * math.log10(score / (1 - score))


def lower_end(score, games):
    """Returns the lower end of Wilson's 95 % interval of a score."""
    centre = score + Z * Z / (2 * games)
    return (centre - Z * math.sqrt(score * (1 - score) / games + Z * Z / (4 * games * games))) / (1 + Z * Z / games)


def cells(standing, clock):
    """Returns the cells of a row after the name."""
    wins, draws, losses = standing["wins"], standing["draws"], standing["losses"]
    games = wins + draws + losses
    score = (wins + draws / 2) / games
    if standing["elo_error"] is not None:
        strength = f"{standing['elo']:+.0f} ± {standing['elo_error']:.0f}"
    elif score > 0.95:
        # The interval has no upper end.
        value = "" if score == 1 else f"{elo(score):+.0f} "
        strength = f"{value}(> {elo(lower_end(score, games)):+.0f})"
    else:
        strength = "–"
    total, increment = clock.split("+")
    return f"| {total} s + {increment} s | {games} | {wins}, {draws}, {losses} | {100 * score:.1f} % | {strength} |"


def replace(path, start, cells_of_row):
    """Replaces the row that starts so, by a temporary file and a rename. The name in its first cell stays."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [index for index, line in enumerate(lines) if line.startswith(start)]
    if len(rows) != 1:
        print(f"strength-table: {path} has {len(rows)} rows that start with '{start}' instead of one", file=sys.stderr)
        return False
    name = lines[rows[0]].split("|")[1].strip()
    lines[rows[0]] = f"| {name} {cells_of_row}\n"
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(file.name, path.stat().st_mode)
    os.replace(file.name, path)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--chuhe", default=str(ROOT / "target/release/chuhe"), metavar="PROGRAM", help="Chuhe")
    for *_, name, _, _ in MATCHES:
        if name:
            parser.add_argument(f"--{name}", metavar="PROGRAM", help="an opponent; without it its match is left out")
    parser.add_argument("--out", default=str(ROOT / "target/strength"), metavar="FOLDER", help="journals of the games")
    parser.add_argument("--concurrency", type=int, default=2, metavar="GAMES", help="games at a time")
    parser.add_argument("--write", action="store_true", help="write the rows to docs/strength.md")
    arguments = parser.parse_args()
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    succeeded = True
    for number, (start, name, clock, _) in enumerate(MATCHES):
        program = getattr(arguments, name) if name else arguments.chuhe
        if program is None:
            print(f"strength-table: --{name} is not given; its row stays", file=sys.stderr)
            continue
        if not Path(program).is_file():
            parser.error(f"there is no program '{program}'")
        standing = play(arguments, number, program)
        if standing is None:
            succeeded = False
            continue
        print(f"{start} … {cells(standing, clock)}", flush=True)
        if arguments.write:
            succeeded &= replace(PAGE, start, cells(standing, clock))
    return 0 if succeeded else 1


if __name__ == "__main__":
    sys.exit(main())
