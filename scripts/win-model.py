#!/usr/bin/env python3
"""Fits the model of win, draw and loss in src/eval/win_model.rs to games of `chuhe match`.

    scripts/win-model.py match.jsonl [more.jsonl ...]

Reads journals (`--resume FILE`) of games between engines with `option.rawscores=true`, whose scores are in the unit of
the search, and without `option.contempt`, which lowers the scores of drawn positions: every move has a score for the
side that moved, and every game a result. The model says that the side to move wins with probability
1 / (1 + exp((half - score) / spread)) and loses with the probability of winning from the opposite score. `half` is a
quadratic and `spread` a linear function of the number of pieces on the board; both are printed in the form of the
constants, with the fit by number of pieces beside the data.

Exit status: 0 the model was fitted, 2 wrong arguments or no games.
"""

import argparse
import json
import math
import sys
from collections import Counter

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w"
RESULTS = {"1-0": 1, "0-1": 0, "1/2-1/2": 0.5}
# Scores beyond this say little about the middle of the curve, and those of mates nothing.
MAX_SCORE = 2000
BIN = 25
PIECES_BIN = 2
FULL = 32


def squares(fen):
    """Returns the occupied points of a FEN."""
    occupied = set()
    for row, text in enumerate(fen.split()[0].split("/")):
        file = 0
        for letter in text:
            if letter.isdigit():
                file += int(letter)
            else:
                occupied.add((file, 9 - row))
                file += 1
    return occupied


def point(text):
    return ord(text[0]) - ord("a"), int(text[1])


def samples(path):
    """Yields (pieces, score, result) of every move of a journal, for the side that moved."""
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            try:
                game = json.loads(line)
            except ValueError:
                continue
            if not isinstance(game, dict) or game.get("result") not in RESULTS or "moves" not in game:
                continue
            # A result by the clock or by a crash says nothing about the scores.
            if game.get("fault") is not None:
                continue
            words = game["opening"].split()
            end = words.index("moves") if "moves" in words else len(words)
            fen = START if words[0] == "startpos" else " ".join(words[:end])
            occupied, red = squares(fen), fen.split()[1] != "b"
            moves = [(text, None) for text in words[end + 1:]]
            moves += [(move["move"], move["score"]) for move in game["moves"]]
            for text, score in moves:
                result = RESULTS[game["result"]]
                if score is not None and abs(score) <= MAX_SCORE:
                    yield len(occupied), score, result if red else 1 - result
                occupied.discard(point(text[:2]))
                occupied.add(point(text[2:]))
                red = not red


def half_and_spread(model, pieces):
    a0, a1, a2, b0, b1 = model
    x = pieces / FULL
    return max(a0 + a1 * x + a2 * x * x, 20.0), max(b0 + b1 * x, 20.0)


def chance(score, half, spread):
    return 1 / (1 + math.exp(min(50.0, max(-50.0, (half - score) / spread))))


def loss(model, counts):
    """Returns the mean cross-entropy of the results."""
    total = 0.0
    by_pieces = {pieces: half_and_spread(model, pieces) for pieces in {key[0] for key in counts}}
    for (pieces, score, result), count in counts.items():
        half, spread = by_pieces[pieces]
        win, lost = chance(score, half, spread), chance(-score, half, spread)
        expected = win if result == 1 else lost if result == 0 else 1 - win - lost
        total -= count * math.log(max(expected, 1e-9))
    return total / sum(counts.values())


def fit(counts):
    """Returns the best model: coordinate descent with steps that are halved."""
    model, best = [500.0, -300.0, 0.0, 150.0, 0.0], math.inf
    best = loss(model, counts)
    step = 128.0
    while step >= 2:
        improved = False
        for index in range(len(model)):
            for direction in (step, -step):
                candidate = list(model)
                candidate[index] += direction
                value = loss(candidate, counts)
                if value < best - 1e-9:
                    model, best, improved = candidate, value, True
                    break
        if not improved:
            step /= 2
    return model, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("journals", nargs="+", metavar="JOURNAL")
    counts = Counter()
    for path in parser.parse_args().journals:
        counts.update(
            (pieces // PIECES_BIN * PIECES_BIN + (PIECES_BIN - 1) / 2, BIN * round(score / BIN), result)
            for pieces, score, result in samples(path)
        )
    if not counts:
        print("win-model: no game with scores in these files", file=sys.stderr)
        return 2
    model, value = fit(counts)
    print(f"{sum(counts.values())} positions, cross-entropy {value:.4f}")
    print(f"half = [{model[0]:.0f}, {model[1]:.0f}, {model[2]:.0f}], spread = [{model[3]:.0f}, {model[4]:.0f}]")
    print("pieces     half  spread  positions  score 0: wins  draws expected")
    for low, high in ((2, 10), (11, 14), (15, 18), (19, 22), (23, 26), (27, 29), (30, 32)):
        half, spread = half_and_spread(model, (low + high) / 2)
        here = {key: count for key, count in counts.items() if low <= key[0] <= high}
        near = {key: count for key, count in here.items() if abs(key[1]) <= 25}
        total = sum(near.values())
        wins = sum(count for key, count in near.items() if key[2] == 1) / total if total else math.nan
        draws = sum(count for key, count in near.items() if key[2] == 0.5) / total if total else math.nan
        expected = 1 - 2 * chance(0, half, spread)
        print(f"{low:2}-{high:2}  {half:8.0f}  {spread:6.0f}  {sum(here.values()):9}  {wins:14.3f}  {draws:.3f} {expected:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
