#!/usr/bin/env python3
"""Plays a match between Chuhe and another engine in XBoard, through uci2wb, on a virtual screen.

XBoard starts every engine a second time before a match and sends all options back, unlike the other tested clients.
For each protocol the script reports the result, illegal moves, losses on time, and the mean depth that
Chuhe reached in the match and the depth that a new process reaches in the same positions with the same clock.

Needs Debian's packages xboard, uci2wb and xvfb. Exit status: 0 all games were played to their end by both sides,
1 a game ended by an illegal move, on time or not at all, 2 wrong arguments or a missing program.
"""

import argparse
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WRAPPER = """#!/bin/sh
exec 3>>'{folder}/sent.log' 4>>'{folder}/received.log'
tee /dev/fd/3 | '{engine}' | tee /dev/fd/4
"""


def find(program):
    """Returns the path of a program, or exits."""
    path = shutil.which(program, path=os.environ["PATH"] + ":/usr/games")
    if path is None:
        print(f"xboard-match: '{program}' is missing; apt-get install xboard uci2wb xvfb", file=sys.stderr)
        sys.exit(2)
    return path


def play(arguments, flag, folder):
    """Plays one match and returns XBoard's output. Ends XBoard when it prints the final score or stalls."""
    wrapper = folder / "engine"
    wrapper.write_text(WRAPPER.format(folder=folder, engine=arguments.engine))
    wrapper.chmod(0o755)
    minutes, seconds = divmod(arguments.seconds, 60)
    command = [
        find("xvfb-run"), "--auto-servernum", find("xboard"), "-variant", "xiangqi",
        "-fcp", f"{find('uci2wb')} {flag} {wrapper}", "-fd", str(folder),
        "-scp", f"{find('uci2wb')} {arguments.opponent_flag} {arguments.opponent}", "-sd", str(folder),
        "-mg", str(arguments.games), "-tc", f"{minutes}:{seconds:02}", "-inc", str(arguments.increment), "-mps", "0",
        "-sgf", str(folder / "games.pgn"), "-debug", "-nameOfDebugFile", str(folder / "debug.log"),
        "-autoCallFlag", "true", "-popupExitMessage", "false",
    ]
    output = folder / "xboard.log"
    # Longest game: both clocks and the increments of 300 moves.
    deadline = time.monotonic() + arguments.games * 2 * (arguments.seconds + 300 * arguments.increment) + 60
    with output.open("wb") as log:
        # A separate process group, so that the screen, XBoard and the engines end together.
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            while process.poll() is None and time.monotonic() < deadline:
                if b"final score" in output.read_bytes():
                    break
                time.sleep(0.5)
        finally:
            for kind in (signal.SIGTERM, signal.SIGKILL):
                try:
                    os.killpg(process.pid, kind)
                except ProcessLookupError:
                    break
                time.sleep(1)
            process.wait()
    return output.read_text(errors="replace")


def searches(folder):
    """Returns the searches on Chuhe's clock: position command, go command and depth."""
    found, position, depth = [], None, 0
    answers = iter((folder / "received.log").read_text(errors="replace").splitlines())
    for line in (folder / "sent.log").read_text(errors="replace").splitlines():
        if re.match(r"(position|fen|startpos)\b", line):
            position = line
        elif re.match(r"go\b", line) and position is not None:
            depth = 0
            for answer in answers:
                if match := re.match(r"info depth (\d+) ", answer):
                    depth = int(match[1])
                elif re.match(r"(no)?bestmove\b", answer):
                    break
            if " ponder" not in line and depth > 0:
                found.append((position, line, depth))
    return found


def depth_in_terminal(arguments, setup, search):
    """Returns the depth that a new process reaches with the same position and clock."""
    process = subprocess.Popen([arguments.engine], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    depth = 0
    process.stdin.write("\n".join(setup) + f"\n{search}\n")
    process.stdin.flush()
    for line in process.stdout:
        if match := re.match(r"info depth (\d+) ", line):
            depth = int(match[1])
        elif re.match(r"(no)?bestmove\b", line):
            break
    process.stdin.write("quit\n")
    process.stdin.flush()
    process.communicate(timeout=10)
    return depth


def report(arguments, protocol, folder, output):
    """Prints the results of a match. Returns whether all games were played to their end."""
    score = re.search(r"final score (\S+)", output)
    pgn = folder / "games.pgn"
    text = pgn.read_text(errors="replace") if pgn.exists() else ""
    games = len(re.findall(r"^\[Event ", text, re.MULTILINE))
    ends = re.findall(r"^\{([^{}]*)\}\s+(1-0|0-1|1/2-1/2|\*)\s*$", text.replace("}\n{", "}\n\n{"), re.MULTILINE)
    for reason, result in ends:
        print(f"  {result}: {' '.join(reason.split())}")
    faults = [reason for reason, _ in ends if re.search("forfeit|illegal|invalid|exited", reason, re.IGNORECASE)]
    found = searches(folder)
    # At most 12 searches, spread over the match.
    step = max(1, len(found) // 12)
    compared = found[::step][:12]
    setup = [protocol] + ["setoption hashsize 68" if protocol == "ucci" else "setoption name Hash value 68"]
    if protocol == "uci":
        setup.append("setoption name UCI_Variant value xiangqi")
    terminal = [depth_in_terminal(arguments, setup + [position], search) for position, search, _ in compared]
    if compared:
        here, there = statistics.mean(depth for *_, depth in compared), statistics.mean(terminal)
        everywhere = statistics.mean(depth for *_, depth in found)
        print(f"  depth: {everywhere:.1f} over {len(found)} moves; {here:.1f} in {len(compared)} of them, "
              f"{there:.1f} for these in a terminal")
    print(f"  score {score[1] if score else 'unknown'} for Chuhe, {games} games, {len(faults)} ended by a fault")
    return score is not None and games == arguments.games and not faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", default="target/release/chuhe", help="Chuhe's program")
    parser.add_argument("--opponent", required=True, help="the other engine's program")
    parser.add_argument("--opponent-flag", default="-x", choices=["-x", "-c"], help="it speaks UCCI (-x) or UCI (-c)")
    parser.add_argument("--protocol", default="both", choices=["ucci", "uci", "both"])
    parser.add_argument("--games", type=int, default=4)
    parser.add_argument("--seconds", type=int, default=30, help="time for a game")
    parser.add_argument("--increment", type=float, default=0.3, help="seconds for each move")
    parser.add_argument("--keep", type=Path, help="keep games and records in this folder")
    arguments = parser.parse_args()
    for name in ("engine", "opponent"):
        path = Path(getattr(arguments, name)).resolve()
        if not os.access(path, os.X_OK):
            parser.error(f"--{name}: {path} is not a program")
        setattr(arguments, name, str(path))
    good = True
    for protocol, flag in (("ucci", "-x"), ("uci", "-c")):
        if arguments.protocol not in (protocol, "both"):
            continue
        print(f"{protocol.upper()} (uci2wb {flag}):", flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            output = play(arguments, flag, folder)
            good &= report(arguments, protocol, folder, output)
            if arguments.keep is not None:
                shutil.copytree(folder, arguments.keep / protocol, dirs_exist_ok=True)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
