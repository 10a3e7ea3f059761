#!/usr/bin/env python3
"""Kills commands that write files at random moments, and lets them write to a full disk.

    scripts/kill-and-full-disk.py target/release/chuhe [NAME …] [--minutes N] [--seed N]

NAMEs are of the jobs below; default: all. Every job runs undisturbed first. Then, until the time is over, it is killed
and started again several times, half of the times while a temporary file is there, and on another occasion it writes
to a small file system, of which it is given more and more. After each of these runs

    a file that a command reads is whole, and what was in it before is still there;
    what was reported as written is there;
    a run on a full disk has ended with a line that names a file in the folder and says what to do;
    the next run starts, and the last one comes to the results of the undisturbed run, without leftovers or processes.

Needs Linux and Python 3.9, and for the full disk the right to mount (root, or 'unshare' with user namespaces); without
it that part is left out with a message. Exit status: 0 all is well, 1 with a line for each fault, 2 wrong arguments.
"""

import argparse
import hashlib
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

GAMES = [
    line for line in (Path(__file__).parent.parent / "tests/data/games.tsv").read_text().splitlines() if line[0] != "#"
]
# Names of the files and folders that the jobs write.
WRITTEN = r"\b(tables|own\.book|games|match|trained|rounds)\b"
# Size and number of files that no job exceeds.
ENOUGH = "1g", 9999
# Seconds after which a command hangs.
PATIENCE = 120
MOVES = GAMES[0].split("\t")[2].split()[:26]
PLAY = [
    line
    for ply in range(0, len(MOVES), 2)
    for line in (f"position startpos{' moves ' * (ply > 0)}{' '.join(MOVES[:ply])}", "go nodes 300")
]
OPTIONS = ["ucci", "setoption batch true", "setoption usebook true", "setoption bookfiles own.book"]
OPTIONS += ["setoption booklearn true", "setoption bookdepth 4", "setoption bookvariety best"]


class Fault(Exception):
    """Behaviour that is not expected."""


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Job:
    """A command that writes files into the current folder.

    `items` returns what the folder holds, by keys; an undisturbed run has the same. `reported` matches a line of output
    for each item that is reported as written. `afterwards` are commands that must succeed at the end, and `files` are
    those that must be the same after them.
    """

    reported = "(?!)"
    files = []
    afterwards = []
    # False for a program that goes on when it cannot write.
    ends = True

    def __init__(self, program, inputs):
        self.program = program
        self.inputs = inputs

    def read(self, folder, *arguments):
        """Returns the lines that a command prints."""
        ended = subprocess.run([self.program, *arguments], cwd=folder, capture_output=True, text=True, timeout=PATIENCE)
        if ended.returncode != 0:
            raise Fault(f"'{' '.join(arguments)}' fails: {ended.stderr.strip()}")
        return ended.stdout.splitlines()

    def prepare(self, folder):
        """Prepares an empty folder."""

    def input(self, folder):
        """Returns the text for standard input; also prepares other input."""
        return ""


class Tablebase(Job):
    arguments = "tablebase build KRvKAAB KCAvKB --dtm --dir tables --threads 2".split()
    reported = r"chuhe: \w+: \d+ entries in"
    # The last one writes, which removes leftovers even if nothing was missing.
    afterwards = ["tablebase verify KRvKAAB KCAvKB --dir tables".split(), "tablebase build KPvK --dir tables".split()]

    def items(self, folder):
        return {table.name: digest(table) for table in (folder / "tables").glob("[!.]*")}


class Learn(Job):
    """Games that are learned one by one; after a kill, those that the journal lacks."""

    arguments = ["book", "learn", "own.book", "../inputs/rest.tsv"]
    files = ["both.book", "own.book"]
    # The first one completes the last game after a kill.
    afterwards = ["book learn own.book ../inputs/first.tsv --max-ply 0", "book merge own.book own.book --out both.book"]
    afterwards = [line.split() for line in [*afterwards, "book unlearn own.book --all"]]

    def prepare(self, folder):
        first = self.inputs / "first.tsv"
        first.write_text("\n".join(GAMES[:9]) + "\n")
        self.read(folder, *"book build ../inputs/first.tsv --min-games 1 --min-score 0 --out own.book".split())

    def input(self, folder):
        rest = (GAMES * 3)[len(self.items(folder)) :]
        # A game without a result is skipped.
        (self.inputs / "rest.tsv").write_text("\n".join([*rest, "*\t\th2e2", ""]))
        return ""

    def items(self, folder):
        self.read(folder, "book", "info", "own.book")
        return {line.split()[0]: line for line in self.read(folder, "book", "journal", "own.book")}


class Booklearn(Learn):
    """The same while the engine plays."""

    arguments = []
    reported = ".* the book learned from the last game"
    ends = False

    def input(self, folder):
        games = ["setoption newgame", *PLAY] * (20 - len(self.items(folder)))
        return "\n".join([*OPTIONS, *games, "quit", ""])


class Convert(Job):
    arguments = ["convert", "../inputs/many.tsv", "games.pgn"]
    OLD = b'[Event "before"]\n\n*\n'

    def prepare(self, folder):
        (self.inputs / "many.tsv").write_text("\n".join(GAMES * 60) + "\n")
        (folder / "games.pgn").write_bytes(self.OLD)

    def items(self, folder):
        games = folder / "games.pgn"
        return {} if games.read_bytes() == self.OLD else {"games": digest(games)}


class Datagen(Job):
    arguments = "datagen --games 150 --nodes 100 --hash 1 --threads 2 --most-plies 100 --out games.txt".split()

    def items(self, folder, file="games.txt", mark=""):
        if not (folder / file).exists() or (folder / file).stat().st_size == 0:
            return {}
        lines = (folder / file).read_text().splitlines(keepends=True)
        return {mark + line.split("\t")[0]: line for line in lines if line[0] != "#" and line[-1] == "\n"}


class Match(Job):
    arguments = "match --engine name=A --engine name=B --nodes 200 --games 30 --max-plies 60".split()
    arguments += "--resume match.jsonl --pgn match.pgn".split()
    reported = r"\d+/\d+ "
    afterwards = ["convert match.pgn games.tsv".split()]

    def items(self, folder):
        journal, games = folder / "match.jsonl", folder / "match.pgn"
        lines = journal.read_text().splitlines()[1:] if journal.exists() else []
        lines = [json.loads(line) for line in lines]
        items = {str(line["game"]): [line["opening"], line["result"], line["reason"]] for line in lines}
        for line in lines:
            items[str(line["game"])] += [move["move"] for move in line["moves"]]
        rounds = re.findall(r'\[Round "(\d+)"\]', games.read_text()) if games.exists() else []
        if len(lines) != len(items) or len(set(rounds)) != len(rounds):
            raise Fault("a game is there twice")
        if unknown := set(rounds) - set(items):
            raise Fault(f"the PGN file has games that the journal lacks: {unknown}")
        self.missing = set(items) - set(rounds)
        return items


class Train(Job):
    arguments = "train ../inputs/games.txt --out trained --epochs 6 --batch 256 --threads 2".split()
    reported = r"chuhe: epoch \d+:"
    files = ["trained/network.bin"]

    def prepare(self, folder):
        self.read(self.inputs, *"datagen --games 100 --nodes 100 --hash 1 --most-plies 80 --out games.txt".split())

    def items(self, folder, file="trained/log.tsv", cut=1):
        for network in folder.glob("**/[!.]*.network"), folder.glob("**/network.bin"):
            for path in network:
                self.read(folder, "eval", "--evalfile", str(path))
        log = folder / file
        lines = log.read_text().splitlines()[1:] if log.exists() else []
        return {line.split("\t")[0]: line.split("\t")[:-cut] for line in lines}


class SelfplayTrain(Train):
    arguments = "selfplay-train --rounds 2 --games 24 --nodes 50 --gate-games 4".split()
    arguments += "--threads 2 --out rounds".split()
    reported = r"round \d+: "
    files = ["rounds/best.network", "rounds/round-1/trained/network.bin", "rounds/round-2/trained/network.bin"]

    def prepare(self, folder):
        pass

    def items(self, folder):
        items = super().items(folder, "rounds/log.tsv")
        for number in (1, 2):
            items |= Datagen.items(self, folder, f"rounds/round-{number}/games.txt", f"round {number}, game ")
        return items


JOBS = {
    "tablebase": Tablebase,
    "learn": Learn,
    "booklearn": Booklearn,
    "convert": Convert,
    "datagen": Datagen,
    "match": Match,
    "train": Train,
    "selfplay-train": SelfplayTrain,
}


def hidden(folder):
    """Returns the temporary files in a folder and below."""
    return [Path(path, name) for path, _, names in os.walk(folder) for name in names if name[0] == "."]


def wait(process, seconds, is_over=lambda: False):
    """Waits for the end of a process. Returns None if the time or `is_over` came first."""
    end = time.monotonic() + seconds
    while time.monotonic() < end and not is_over():
        try:
            return process.wait(0.0002)
        except subprocess.TimeoutExpired:
            pass
    return process.poll()


def run(job, folder, work, kill_after=None, kills_while_writing=False):
    """Runs the command. Returns its exit status, or None when it was killed, its output and its errors."""
    text = job.input(folder)
    paths = [work / name for name in ("input", "output", "errors")]
    paths[0].write_text(text)
    with open(paths[0]) as given, open(paths[1], "w") as output, open(paths[2], "w") as errors:
        process = subprocess.Popen(
            [job.program, *job.arguments], cwd=folder, stdin=given, stdout=output, stderr=errors
        )
        status = wait(process, PATIENCE if kill_after is None else kill_after)
        if kills_while_writing:
            status = wait(process, kill_after, lambda: hidden(folder))
        if status is None:
            process.kill()
            process.wait()
    if status is None and kill_after is None:
        raise Fault(f"it does not end within {PATIENCE} s")
    return status, paths[1].read_text(), paths[2].read_text()


def check_items(job, folder, before, reference, output=""):
    """Returns what the folder holds."""
    items = job.items(folder)
    if lost := set(before) - set(items):
        raise Fault(f"no longer there: {', '.join(sorted(lost))}")
    if other := [key for key in items if reference.get(key) != items[key]]:
        raise Fault(f"not as in the undisturbed run: {', '.join(other)}")
    reported = sum(re.match(job.reported, line) is not None for line in output.splitlines())
    if reported > len(items) - len(before):
        raise Fault(f"{reported} items were reported as written, but there are {len(items) - len(before)} more")
    return items


def check_end(job, folder, items, reference, sums):
    """Checks the folder after a run that ended well."""
    if missing := set(reference) - set(items):
        raise Fault(f"missing at the end: {', '.join(sorted(missing))}")
    if missing := getattr(job, "missing", None):
        raise Fault(f"missing in the PGN file: {', '.join(sorted(missing))}")
    for arguments in job.afterwards:
        job.read(folder, *arguments)
    for name in job.files:
        if digest(folder / name) != sums[name]:
            raise Fault(f"{name} is not that of the undisturbed run")
    if leftovers := hidden(folder):
        raise Fault(f"left behind: {', '.join(str(path.relative_to(folder)) for path in leftovers)}")
    end = time.monotonic() + 5
    while running := [path for path in Path("/proc").glob("[0-9]*/cwd") if is_link_to(path, folder)]:
        if time.monotonic() > end:
            raise Fault(f"process {running[0].parent.name} still runs")
        time.sleep(0.01)


def is_link_to(path, folder):
    try:
        return path.readlink() == folder
    except OSError:
        return False


def kill(job, folder, work, known, rng):
    """Kills the command several times, then lets it end."""
    items, kills = {}, 0
    for attempt in range(9):
        left = max(1 - len(items) / len(known["items"]), 0.1)
        after = rng.random() ** 2 * left * known["seconds"] if attempt < 8 else None
        status, output, errors = run(job, folder, work, after, after is not None and rng.random() < 0.5)
        if status not in (None, 0):
            raise Fault(f"after {kills} kills it ends with status {status}: {errors.strip()}")
        items = check_items(job, folder, items, known["items"], output + errors)
        if status == 0:
            break
        kills += 1
    check_end(job, folder, items, known["items"], known["sums"])
    return kills


def full_disk(job, folder, work, known, rng):
    """Gives the command too little space, or room for too few files, several times, then enough."""
    items, failures = job.items(folder), 0
    for attempt in range(6):
        used, files = shutil.disk_usage(folder).used // 1024, 1 + len(list(folder.glob("**/*")))
        free = rng.choice([0, 4, 8, 16, rng.randrange(known["kilobytes"]), rng.randrange(known["kilobytes"])])
        size, inodes = f"{max(used + free, 4)}k", ENOUGH[1]
        if rng.random() < 0.2:
            size, inodes = ENOUGH[0], files + rng.randrange(4)
        limit(folder, *((size, inodes) if attempt < 5 else ENOUGH))
        status, output, errors = run(job, folder, work)
        faults = [line for line in (errors if job.ends else output).splitlines() if "make room there" in line]
        is_clear = all(re.search(WRITTEN, line) and ".tmp" not in line for line in faults)
        if not is_clear or status != 0 and (status != 1 or not faults or errors.splitlines()[-1] != faults[-1]):
            raise Fault(f"with {free} kB free, {inodes} files: status {status}, '{(faults or [errors])[-1].strip()}'")
        # A match goes on and reports its games.
        items = check_items(job, folder, items, known["items"], "" if faults else output + errors)
        if not faults:
            break
        failures += 1
    limit(folder, *ENOUGH)
    check_end(job, folder, items, known["items"], known["sums"])
    return failures


def limit(folder, size, inodes):
    if not mount(f"remount,size={size},nr_inodes={inodes}", folder):
        raise Fault(f"the file system cannot be given {size} and {inodes} files")


def mount(options, folder):
    command = ["mount", "-t", "tmpfs", "-o", options, "none", folder]
    return subprocess.run(command, capture_output=True).returncode == 0


def kilobytes(folder):
    return sum((path.stat().st_size + 4095) // 4096 * 4 for path in folder.glob("**/*") if path.is_file())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=Path, help="Chuhe's program")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"job: {', '.join(JOBS)} (default: all)")
    parser.add_argument("--minutes", type=float, default=5, help="time, after one round of all jobs (default: 5)")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6), help="seed of all random choices")
    arguments = parser.parse_intermixed_args()
    if unknown := set(arguments.names) - set(JOBS):
        parser.error(f"unknown job '{unknown.pop()}'; there are {', '.join(JOBS)}")
    if not os.access(arguments.program, os.X_OK):
        parser.error(f"{arguments.program} is no program")
    # In namespaces of its own the script may mount, and what it mounts ends with it.
    unshare = ["unshare", "--map-root-user", "--mount"]
    if "CHUHE_UNSHARED" not in os.environ and shutil.which("unshare"):
        if subprocess.run([*unshare, "true"], capture_output=True).returncode == 0:
            os.environ["CHUHE_UNSHARED"] = "1"
            os.execvp("unshare", [*unshare, sys.executable, *sys.argv, "--seed", str(arguments.seed)])
    print(f"seed {arguments.seed}", flush=True)
    rng = random.Random(arguments.seed)
    work = Path(tempfile.mkdtemp(prefix="chuhe-kill-")).resolve()
    end = time.monotonic() + 60 * arguments.minutes
    jobs, faults, trials = {}, 0, {}
    (work / "inputs").mkdir()
    for name in arguments.names or JOBS:
        job, folder = JOBS[name](arguments.program.resolve(), work / "inputs"), work / f"{name}-undisturbed"
        folder.mkdir()
        job.prepare(folder)
        begun = time.monotonic()
        status, _, errors = run(job, folder, work)
        if status != 0:
            sys.exit(f"{name}: status {status}: {errors}")
        known = {"items": job.items(folder), "seconds": time.monotonic() - begun, "kilobytes": kilobytes(folder)}
        for command in job.afterwards:
            job.read(folder, *command)
        jobs[name] = job, known | {"sums": {file: digest(folder / file) for file in job.files}}
    disturbances = [kill]
    if mount("size=64k", work / "inputs"):
        subprocess.run(["umount", work / "inputs"], check=True)
        disturbances.append(full_disk)
    else:
        print("full disk: left out, for want of the right to mount a file system", flush=True)
    plan = [(name, disturb) for name in jobs for disturb in disturbances]
    for number, (name, disturb) in enumerate(itertools.cycle(plan)):
        if number >= len(plan) and time.monotonic() > end:
            break
        label = f"{name}, {disturb.__name__.replace('_', ' ')}"
        folder = work / f"{name}-{number}"
        folder.mkdir()
        job, known = jobs[name]
        is_mounted = disturb is full_disk and mount("size=1g,nr_inodes=9999", folder)
        try:
            job.prepare(folder)
            trials.setdefault(label, []).append(disturb(job, folder, work, known, rng))
        except (Fault, OSError, ValueError, subprocess.TimeoutExpired) as fault:
            faults += 1
            print(f"{label}, trial {number}: {' / '.join(str(fault).splitlines())}", flush=True)
            if is_mounted:
                shutil.copytree(folder, work / f"{name}-{number}-kept")
        else:
            shutil.rmtree(folder, ignore_errors=is_mounted)
        if is_mounted:
            subprocess.run(["umount", folder], check=True)
            folder.rmdir()
    for label, counts in trials.items():
        print(f"{label}: {len(counts)} times, {sum(counts)} interruptions")
    if faults:
        print(f"{faults} faults; the folders are kept in {work}")
        sys.exit(1)
    shutil.rmtree(work)


if __name__ == "__main__":
    main()
