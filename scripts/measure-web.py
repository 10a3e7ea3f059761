#!/usr/bin/env python3
"""Measures `chuhe web` in a headless Chromium: the time from its start to a board that can be used, the size of the page,
and the longest task while a piece is dragged beside a search; and the speed of the engine for a WebSocket client that reads
all events, compared with `chuhe bench` on the same positions.

    scripts/measure-web.py target/release/chuhe [--rounds 5] [--depth 12]

Both kinds of search take turns, so that other work on the machine slows both. Nodes per second of processor time, that of
the whole process, are what the engine loses to its clients; nodes per second of the clock are comparable only on an idle
machine. Needs Chromium and ChromeDriver for all but the last part; without them only that is done.
"""

import argparse
import base64
import json
import os
import re
import socket
import statistics
import struct
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlparse

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/web"))
from actions import open_view, square, wait  # noqa: E402
from browser import Browser, find  # noqa: E402


class Client:
    """A WebSocket client of the server at an address."""

    def __init__(self, url):
        parts = urlparse(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {parts.path}socket HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.file = self.socket.makefile("rb")
        assert b" 101 " in self.file.readline()
        while self.file.readline().strip():
            pass

    def send(self, message):
        data = json.dumps(message).encode()
        assert len(data) < 1 << 16
        head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        # A mask of zeros leaves the data as they are.
        self.socket.sendall(head + bytes(4) + data)

    def receive(self):
        """Returns the next text; the server sends none in parts."""
        while True:
            first, length = self.file.read(2)
            if length == 126:
                length = struct.unpack("!H", self.file.read(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.file.read(8))[0]
            data = self.file.read(length)
            if first & 15 == 1:
                return json.loads(data)


class Server:
    """A running `chuhe web`."""

    def __init__(self, program):
        # The table is as large as that of bench.
        self.process = subprocess.Popen([program, "web", "--no-open", "--port", "0", "--hash", "16"], stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.cpu = processor_time(self.process)
        self.process.stdout.close()


def processor_time(process):
    """Waits for the end of a process and returns the seconds of processor time that it took."""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime


def first_board(program, browser):
    """Returns the seconds from the start of the program to a board that can be used."""
    browser.call("Page.navigate", url="about:blank")
    begin = time.monotonic()
    with Server(program) as server:
        browser.call("Page.navigate", url=server.url)
        while not browser.run("document.body?.dataset.ready === 'true'"):
            pass
        return time.monotonic() - begin


def size_and_dragging(program, browser):
    """Returns the bytes of all files of the page, and the milliseconds of tasks over 50 ms while a piece is dragged."""
    with Server(program) as server:
        browser.open(server.url)
        size = browser.run("performance.getEntries().reduce((sum, entry) => sum + (entry.decodedBodySize ?? 0), 0)")
        open_view(browser, "analyse")
        wait(browser, "analysis.lines.every((line) => line !== null)")
        (x1, y1), (x2, y2) = square(browser, "h2"), square(browser, "b2")
        browser.run("""window.tasks = [];
            new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((entry) => entry.duration)))
                .observe({ type: 'longtask' });""")
        browser.mouse("mousePressed", x1, y1)
        for step in range(200):
            part = abs(step % 40 - 20) / 20
            browser.mouse("mouseMoved", x1 + (x2 - x1) * part, y1 + (y2 - y1) * part)
        browser.mouse("mouseReleased", x1, y1)
        return size, browser.run("window.tasks")


def speed_of_page(program, positions, depth):
    """Returns the nodes per second of processor time and of the clock that a client sees."""
    nodes = seconds = 0
    with Server(program) as server:
        client = Client(server.url)
        for number, fen in enumerate(positions):
            begin = time.monotonic()
            client.send({"id": number, "do": "go", "purpose": "analyse", "start": fen, "depth": depth})
            last = None
            while (message := client.receive()).get("event") != "finished":
                assert message.get("event") != "failed", message
                last = message if message.get("event") == "line" else last
            seconds += time.monotonic() - begin
            nodes += last["nodes"]
    return nodes / server.cpu, nodes / seconds


def speed_of_bench(program, depth):
    """Returns the nodes per second of processor time and of the clock of `chuhe bench`."""
    english = dict(os.environ, LC_ALL="C")
    process = subprocess.Popen([program, "bench", str(depth)], stdout=subprocess.PIPE, text=True, env=english)
    with process.stdout:
        text = process.stdout.read()
    nodes = int(re.search(r"total nodes (\d+)", text)[1])
    return nodes / processor_time(process), float(re.search(r"(\d+) nodes/s", text)[1])


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    arguments.add_argument("program", type=os.path.abspath)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--depth", type=int, default=12)
    arguments = arguments.parse_args()
    # The first is the start position.
    positions = [None, *(ROOT / "assets/self_test/bench.txt").read_text().splitlines()[1:]]

    paths = find()
    if paths:
        browser = Browser(*paths)
        try:
            times = sorted(first_board(arguments.program, browser) for _ in range(2 * arguments.rounds))
            size, tasks = size_and_dragging(arguments.program, browser)
        finally:
            browser.close()
        print(f"first board: median {statistics.median(times):.2f} s, {times[0]:.2f} to {times[-1]:.2f} s; page {size / 1000:.0f} kB")
        print(f"tasks over 50 ms while dragging: {len(tasks)}, the longest {max(tasks, default=0):.0f} ms")
    ratios = []
    for _ in range(arguments.rounds):
        bench = speed_of_bench(arguments.program, arguments.depth)
        page = speed_of_page(arguments.program, positions, arguments.depth)
        again = speed_of_bench(arguments.program, arguments.depth)
        ratios.append([2 * mine / (one + other) for one, mine, other in zip(bench, page, again)])
        print("nodes per second of processor time and of the clock: "
              f"bench {bench[0]:.0f} {bench[1]:.0f}, client {page[0]:.0f} {page[1]:.0f}", flush=True)
    cpu, clock = (statistics.median(kind) for kind in zip(*ratios))
    print(f"client / bench: median {cpu:.3f} of processor time, {clock:.3f} of the clock")


if __name__ == "__main__":
    main()
