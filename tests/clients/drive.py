#!/usr/bin/env python3
"""Drives the engine as Python programs do. Usage: drive.py PROGRAM [asyncio|cchess]

asyncio, the default: a client in the manner of python-chess and its Xiangqi descendants, with MultiPV, clocks, ponder
and stop. It needs the standard library alone and is part of the tests.
cchess: the UCCI and UCI drivers of the package cchess (pip install cchess==1.25.5). The tests replay a recorded session
of them instead (tests/data/client_replays/04_cchess_pypi.txt).
Exit status 0 if all went well.
"""
import asyncio
import re
import sys
import time

START = "rnbakabnr/9/1c5c1/p1p1p1p1p/9/9/P1P1P1P1P/1C5C1/9/RNBAKABNR w - - 0 1"
MATED = "R3k4/1R7/9/9/9/9/9/9/9/3K5 b - - 0 1"
MOVE = re.compile(r"^[a-i][0-9][a-i][0-9]$")


def wait_for_action(engine, seconds=60):
    """The first answer of the engine that ends a search."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        action = engine.get_action()
        if action and action.get("action") in ("bestmove", "dead", "draw"):
            return action
        time.sleep(0.005)
    raise AssertionError("no answer")


def drive_with_cchess(program):
    from cchess.engine import EngineStatus, UcciEngine, UciEngine

    for driver in (UcciEngine, UciEngine):
        engine = driver()
        assert engine.load(program), "the engine starts"
        assert engine.wait_for_ready(), "the handshake is finished"
        assert engine.engine_status == EngineStatus.READY
        assert engine.options, "options are declared"
        engine.set_option("Hash", 16)
        engine.set_option("hashsize", 16)
        for parameters in ({"depth": 5}, {"movetime": 100}, {"nodes": 2000}, {"time": 200}):
            engine.go_from(START, parameters)
            action = wait_for_action(engine)
            assert action["action"] == "bestmove", action
            assert MOVE.match(action["move"]), action
        engine.go_from(MATED, {"depth": 3})
        assert wait_for_action(engine)["action"] == "dead"
        engine.running = False
        engine.quit()
        print(f"cchess {driver.__name__}: ok")


class Client:
    """A UCI client on asyncio streams."""

    def __init__(self, process):
        self.process = process

    @classmethod
    async def start(cls, program):
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(program, stdin=pipe, stdout=pipe))

    def say(self, line):
        self.process.stdin.write((line + "\n").encode())

    async def until(self, word, seconds=60):
        lines = []
        while True:
            line = await asyncio.wait_for(self.process.stdout.readline(), seconds)
            assert line, f"the output ended before {word}: {lines}"
            lines.append(line.decode("ascii").rstrip("\r\n"))
            if lines[-1].split(" ")[0] == word:
                return lines


def fields(line):
    """An info line as a dictionary; the line of moves under pv."""
    words = line.split(" ")
    head, moves = words[1 : words.index("pv")], words[words.index("pv") + 1 :]
    found, index = {"pv": moves}, 0
    while index < len(head):
        size = 3 if head[index] == "score" else 2
        assert head[index] not in found, f"a key twice: {line}"
        found[head[index]] = head[index + 1 : index + size]
        index += size
    return found


async def drive_with_asyncio(program):
    client = await Client.start(program)
    client.say("uci")
    options = [line for line in await client.until("uciok") if line.startswith("option name ")]
    assert any(line.startswith("option name UCI_Variant type combo default xiangqi") for line in options), options
    client.say("isready")
    await client.until("readyok")
    client.say("setoption name MultiPV value 3")
    client.say("ucinewgame")
    client.say("position startpos moves h2e2 h9g7")
    client.say("go depth 6")
    lines = await client.until("bestmove")
    last = [fields(line) for line in lines if " pv " in line][-3:]
    assert [entry["multipv"] for entry in last] == [["1"], ["2"], ["3"]], last
    assert len({entry["pv"][0] for entry in last}) == 3, last
    assert all(entry["score"][0] in ("cp", "mate") for entry in last), last
    assert lines[-1].split(" ")[1] == last[0]["pv"][0], lines[-1]
    client.say("setoption name MultiPV value 1")
    for go in ("go wtime 3000 btime 3000 winc 10 binc 10", "go movetime 50", "go nodes 3000"):
        client.say(go)
        assert MOVE.match((await client.until("bestmove"))[-1].split(" ")[1])
    client.say("go infinite")
    await asyncio.sleep(0.2)
    client.say("stop")
    await client.until("bestmove")
    client.say("go ponder wtime 1000 btime 1000")
    await asyncio.sleep(0.2)
    client.say("ponderhit")
    await client.until("bestmove")
    client.say(f"position fen {MATED}")
    client.say("go depth 3")
    assert (await client.until("bestmove"))[-1] == "bestmove (none)"
    # A front end for many games chooses the variant and counts ranks from 1.
    client.say("setoption name UCI_Variant value xiangqi")
    client.say("position startpos moves h3e3 h10g8")
    client.say("go depth 4")
    best = (await client.until("bestmove"))[-1].split(" ")[1]
    assert re.match(r"^[a-i](10|[1-9])[a-i](10|[1-9])$", best), best
    client.say("quit")
    assert await asyncio.wait_for(client.process.wait(), 10) == 0
    print("asyncio UCI: ok")


if __name__ == "__main__":
    client = sys.argv[2] if len(sys.argv) > 2 else "asyncio"
    if client == "asyncio":
        asyncio.run(drive_with_asyncio(sys.argv[1]))
    elif client == "cchess":
        drive_with_cchess(sys.argv[1])
    else:
        sys.exit(f"{client}: no such client")
