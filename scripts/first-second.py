#!/usr/bin/env python3
"""Measures how soon engines are ready and how well they keep to the clock: large tables, many threads, a busy machine.

    scripts/first-second.py target/release/chuhe [another-engine …] [--only NAME,…] [--rounds N]

All engines speak UCI. They take turns, in alternating order, four times for each measurement: other work on the machine
slows all of them, and memory costs most for the program that uses it first. One table is printed, a row for each
measurement and a column for each engine. Times are in milliseconds, from the command to the answer: the median and the
largest. The measurements:

    ready     start to `uciok`, `setoption Hash` to `readyok`, three searches of one second after it, `ucinewgame` to
              `readyok` after them, and `quit` while memory is being prepared, for tables of 1,024 and 4,096 MB
    crowd     the first search of 100 ms of ten processes at once, and the second
    threads   searches of 500 ms and `stop`, with 64 threads
    control   `movestogo 1` with 500 ms on the clock, beside four busy processes: late answers of 40
    flood     memory after eight seconds of `isready` whose answers nobody reads

Needs Linux and Python 3.9.
"""

import argparse
import re
import statistics
import subprocess
import sys
import threading
import time

POSITION = "position startpos moves h2e2 h9g7 h0g2 i9h9"
LAST_MOVE = "movestogo 1 at 500 ms"


class Engine:
    """A running engine."""

    def __init__(self, program):
        self.begun = time.monotonic()
        self.process = subprocess.Popen(
            [program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def send(self, *lines):
        """Sends lines and returns the time at which they were sent."""
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()
        return time.monotonic()

    def wait_for(self, word):
        """Returns the time at which a line that begins with this word came, and the last count of nodes before it."""
        nodes = 0
        for line in self.process.stdout:
            text = line.decode(errors="replace")
            if found := re.search(r"\bnodes (\d+)", text):
                nodes = int(found[1])
            if text.split(None, 1)[:1] == [word]:
                return time.monotonic(), nodes
        raise EOFError(f"the engine ended before '{word}'")

    def ask(self, word, *lines):
        """Sends lines, waits for the answer and returns the milliseconds it took and the nodes."""
        sent = self.send(*lines)
        came, nodes = self.wait_for(word)
        return 1000 * (came - sent), nodes

    def handshake(self):
        """Returns the milliseconds from the start of the program to `uciok`."""
        self.send("uci")
        return 1000 * (self.wait_for("uciok")[0] - self.begun)

    def options(self, **options):
        """Sets options, waits for `readyok` and returns the milliseconds."""
        lines = [f"setoption name {name} value {value}" for name, value in options.items()]
        return self.ask("readyok", *lines, "isready")[0]

    def quit(self):
        """Ends the engine and returns the milliseconds that it took."""
        try:
            sent = self.send("quit")
        except BrokenPipeError:
            sent = time.monotonic()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        return 1000 * (time.monotonic() - sent)


def ready(program, _rounds):
    rows = {}
    for megabytes in (1024, 4096):
        engine = Engine(program)
        rows[f"start to uciok ({megabytes} MB follow)"] = [engine.handshake()]
        rows[f"Hash {megabytes}: setoption and isready"] = [engine.options(Hash=megabytes)]
        searches = [engine.ask("bestmove", POSITION, "go movetime 1000") for _ in range(3)]
        rows[f"Hash {megabytes}: three times movetime 1000"] = [time for time, _ in searches]
        rows[f"Hash {megabytes}: nodes of the first by those of the third"] = [searches[0][1] / max(searches[2][1], 1)]
        rows[f"Hash {megabytes}: ucinewgame and isready"] = [engine.ask("readyok", "ucinewgame", "isready")[0]]
        engine.ask("bestmove", POSITION, "go movetime 200")
        rows[f"Hash {megabytes}: ucinewgame and isready"] += [engine.ask("readyok", "ucinewgame", "isready")[0]]
        engine.quit()
        engine = Engine(program)
        engine.handshake()
        engine.send(f"setoption name Hash value {megabytes}", "isready")
        time.sleep(0.1)
        rows[f"Hash {megabytes}: quit 0.1 s after setoption and isready"] = [engine.quit()]
    return rows


def crowd(program, _rounds):
    engines = [Engine(program) for _ in range(10)]
    for engine in engines:
        engine.handshake()
        engine.options()
    rows = {}
    for name in ("first", "second"):
        times = [0.0] * len(engines)

        def search(index):
            times[index] = engines[index].ask("bestmove", POSITION, "go movetime 100")[0]

        threads = [threading.Thread(target=search, args=(index,)) for index in range(len(engines))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rows[f"ten processes: {name} movetime 100"] = times
    for engine in engines:
        engine.quit()
    return rows


def threads(program, rounds):
    engine = Engine(program)
    engine.handshake()
    rows = {"64 threads: setoption and isready": [engine.options(Threads=64)]}
    rows["64 threads: movetime 500"] = [
        engine.ask("bestmove", POSITION, "go movetime 500")[0] for _ in range(rounds)
    ]
    times = []
    for _ in range(rounds):
        engine.send(POSITION, "go infinite")
        time.sleep(0.4)
        times.append(engine.ask("bestmove", "stop")[0])
    rows["64 threads: stop"] = times
    engine.quit()
    return rows


def control(program, rounds):
    engine = Engine(program)
    engine.handshake()
    engine.options()
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4)]
    try:
        games = ["ucinewgame", POSITION, "go wtime 500 btime 500 movestogo 1"]
        times = [engine.ask("bestmove", *games)[0] for _ in range(2 * rounds)]
    finally:
        for process in busy:
            process.kill()
            process.wait()
    engine.quit()
    return {f"{LAST_MOVE}, beside four busy processes": times}


def memory(engine):
    """Resident memory of the engine in megabytes."""
    with open(f"/proc/{engine.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS:"))


def flood(program, _rounds):
    engine = Engine(program)
    engine.handshake()
    engine.options()
    idle = memory(engine)
    ended = threading.Event()

    def write():
        while not ended.is_set():
            try:
                engine.send(*["isready"] * 1000)
            except (BrokenPipeError, ValueError, OSError):
                return

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    time.sleep(8)
    grown = memory(engine) - idle
    ended.set()
    engine.process.kill()
    engine.process.wait()
    return {"flood of isready, not read: MB above idle": [grown]}


MEASUREMENTS = {"ready": ready, "crowd": crowd, "threads": threads, "control": control, "flood": flood}
PASSES = 4


def summary(row, values):
    """Median and largest of the values of a row, and how many answers were late."""
    digits = 2 if "by those of" in row else 0
    text = f"{statistics.median(values):.{digits}f} (max {max(values):.{digits}f})"
    if row.startswith(LAST_MOVE):
        text += f", {sum(value > 500 for value in values)} of {len(values)} late"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("engines", nargs="+", metavar="ENGINE", help="program of an engine that speaks UCI")
    parser.add_argument("--only", help="measurements, separated by commas (default: all)")
    parser.add_argument("--rounds", type=int, default=20, help="searches of each kind (default: 20)")
    arguments = parser.parse_args()
    names = arguments.only.split(",") if arguments.only else list(MEASUREMENTS)
    if unknown := [name for name in names if name not in MEASUREMENTS]:
        parser.error(f"unknown measurement '{unknown[0]}'; there are {', '.join(MEASUREMENTS)}")
    print("| measured | " + " | ".join(arguments.engines) + " |")
    print("|---|" + "---|" * len(arguments.engines))
    for name in names:
        columns = [{} for _ in arguments.engines]
        for number in range(PASSES):
            turns = list(zip(arguments.engines, columns))
            for program, column in turns[:: 1 if number % 2 == 0 else -1]:
                for row, values in MEASUREMENTS[name](program, max(arguments.rounds // PASSES, 1)).items():
                    column.setdefault(row, []).extend(values)
        for row in columns[0]:
            print(f"| {row} | " + " | ".join(summary(row, column[row]) for column in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
