#!/usr/bin/env python3
"""Measures by how much the moves that a program chooses are worse than the best ones.

    scripts/regret.py build GAMES SUITE [--count N] [--program JUDGE] [--nodes N] [--threads N]
    scripts/regret.py score SUITE CANDIDATE ... [--candidate-nodes N] [--program JUDGE] [--threads N]

`build` takes one position after the opening from each of --count games. A line of GAMES has result, start position and
moves, with tabs between them. Decided positions are left out. In the others each of the five best moves is judged once:
its worth is the expected score (chances to win and half of those to draw) after a search of --nodes. A build that was
interrupted goes on. The first line of SUITE has the nodes, and name of the judge and its score of the start position.

`score` lets each candidate choose a move in every position with --candidate-nodes. A candidate is a program, and after
commas its UCI options: target/release/chuhe,SearchParams=null_move_depth=4. Moves that were not judged yet are judged
by the same judge and added. Regret is the worth of the best move less that of the chosen one, in thousandths of a point
with its error (95 %). Candidates after the first are compared with it position by position.

A judge prefers the mistakes of programs that search like it, so that no change should be kept by this measure alone.

Exit status: 0 done, 2 wrong arguments, a damaged file or no answer of an engine.
"""

import argparse
import math
import os
import random
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from uci import Engine, of_best_line

MOVES = 5
# Plies of the opening that are left out, and the worth of the best move from which a position is decided.
OPENING = 16
DECIDED = 0.95


def expected_score(chances):
    return chances[0] + chances[1] / 2


class Suite:
    """Worth of judged moves by position; every judgement is appended to the file."""

    def __init__(self, path, program, nodes):
        self.path, self.program = path, program
        # Worth of moves, and of the best one when built: moves judged later leave it, so that runs can be compared.
        self.worth, self.best = {}, {}
        self.lock, self.of_thread = threading.Lock(), threading.local()
        text = path.read_text("utf-8")
        # A line without its end was not written as a whole.
        whole = text[: text.rfind("\n") + 1]
        head, *lines = whole.split("\n")[:-1] or [text]
        known = re.match(r"# nodes\t(\d+)\t", head)
        self.nodes = nodes or int(known[1] if known else 100_000)
        expected = f"# nodes\t{self.nodes}\t{self.judge().name}\t{self.judge().chances('startpos', self.nodes)[0]}"
        if head != expected and (whole or not expected.startswith(text)):
            raise ValueError(f"{path} is not a suite of this judge: its first line is '{head[:80]}', not '{expected}'")
        for number, line in enumerate(lines, 2):
            position, *moves = line.split("\t")
            try:
                judged = {move: float(worth) for move, worth in (entry.split("=") for entry in moves)}
            except ValueError:
                raise ValueError(f"{path}, line {number}: not moves with their worth") from None
            self.update(position, judged)
        os.truncate(path, len(whole.encode("utf-8")))
        if not whole:
            path.write_text(expected + "\n", "utf-8")

    def engine(self, program, options):
        """The engine of this thread for a program with options."""
        engines = self.of_thread.__dict__
        key = ",".join([str(program), *options])
        if key not in engines:
            engines[key] = Engine(program, options)
        return engines[key]

    def judge(self, *options):
        return self.engine(self.program, ["UCI_ShowWDL=true", *options])

    def update(self, position, worth):
        self.worth.setdefault(position, {}).update(worth)
        self.best.setdefault(position, max(worth.values(), default=0))

    def add(self, position, worth):
        with self.lock:
            self.update(position, worth)
            with self.path.open("a", encoding="utf-8") as file:
                file.write("\t".join([position, *(f"{move}={value:.4f}" for move, value in worth.items())]) + "\n")

    def judged(self, position, move):
        """Judges a move: its worth for the side that makes it."""
        return round(1 - expected_score(self.judge().chances(f"{position} {move}", self.nodes)[1]), 4)

    def build(self, position):
        _, answers = self.judge(f"MultiPV={MOVES}").search(position, self.nodes // MOVES)
        is_open = len(answers) > 1 and 1 - DECIDED < expected_score(of_best_line(position, answers)[1]) < DECIDED
        self.add(position, {move: self.judged(position, move) for _, _, move in answers.values()} if is_open else {})

    def worth_of_choice(self, candidate, position, nodes):
        program, *options = candidate.split(",")
        move, _ = self.engine(program, options).search(position, nodes)
        if move not in self.worth[position]:
            self.add(position, {move: self.judged(position, move)})
        return self.worth[position][move]


def sampled_positions(path, count):
    """Returns a position of each of the games, always the same ones, each once."""
    choice, positions = random.Random(1), []
    for line in path.read_text("utf-8").splitlines():
        _, fen, moves = (line.split("\t") + ["", ""])[:3]
        moves = moves.split()
        if len(moves) > OPENING:
            start = f"fen {fen}" if fen else "startpos"
            positions.append(f"{start} moves {' '.join(moves[:choice.randrange(OPENING, len(moves))])}")
    choice.shuffle(positions)
    return list(dict.fromkeys(positions))[:count]


def mean_and_error(values):
    mean = sum(values) / len(values)
    variance = sum((value - mean) ** 2 for value in values) / max(len(values) - 1, 1)
    return 1000 * mean, 1960 * math.sqrt(variance / len(values))


def score(pool, suite, candidates, nodes):
    positions = [position for position, judged in suite.worth.items() if len(judged) > 1]
    if not positions:
        raise ValueError(f"{suite.path} has no positions")
    first = None
    for candidate in candidates:
        worths = list(pool.map(lambda position: suite.worth_of_choice(candidate, position, nodes), positions))
        mean, error = mean_and_error([suite.best[position] - worth for position, worth in zip(positions, worths)])
        text = f"{candidate}: {len(positions)} positions, regret {mean:.2f} ± {error:.2f}"
        if first:
            mean, error = mean_and_error([own - other for own, other in zip(worths, first)])
            text += f", {mean:+.2f} ± {error:.2f} better than the first"
        first = first or worths
        print(text, flush=True)


def main():
    root = Path(__file__).parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", choices=["build", "score"])
    parser.add_argument("files", nargs="+", metavar="FILE")
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--program", default=root / "target/release/chuhe")
    parser.add_argument("--nodes", type=int, help="nodes of a judgement, at first 100000")
    parser.add_argument("--candidate-nodes", type=int, default=1_000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_intermixed_args()
    is_build = arguments.work == "build"
    if len(arguments.files) < 2 or (is_build and len(arguments.files) > 2):
        parser.error("give the games and the suite to build it, or the suite and candidates to score them")
    if min(arguments.count, arguments.candidate_nodes, arguments.threads) < 1 or (arguments.nodes or MOVES) < MOVES:
        parser.error(f"numbers must be at least 1, and --nodes at least {MOVES}")
    path = Path(arguments.files[1 if is_build else 0])
    try:
        if is_build:
            path.touch()
        suite = Suite(path, arguments.program, arguments.nodes)
        with ThreadPoolExecutor(arguments.threads) as pool:
            if is_build:
                positions = sampled_positions(Path(arguments.files[0]), arguments.count)
                list(pool.map(suite.build, [position for position in positions if position not in suite.worth]))
                print(f"{sum(len(judged) > 1 for judged in suite.worth.values())} positions")
            else:
                score(pool, suite, arguments.files[1:], arguments.candidate_nodes)
    except (OSError, ValueError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
