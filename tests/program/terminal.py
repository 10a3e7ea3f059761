"""Starts the program without arguments under a pseudo-terminal, as a person does, and prints what it wrote.

    terminal.py PROGRAM

The board must answer before the first command of a front end and not after it, the session must go on, and no browser
may be opened in a remote shell. Exits with 1 if it is otherwise.
"""

import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

TIMEOUT = 120


def is_served(address):
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT) as answer:
            return answer.status == 200
    except (urllib.error.URLError, ConnectionError):
        return False


class Session:
    """The program at the other end of a terminal."""

    def __init__(self, program, environment):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen([program], stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.text = ""

    def wait_until(self, pattern):
        """Reads until the text has the pattern, and returns the match."""
        deadline = time.monotonic() + TIMEOUT
        while not (found := re.search(pattern, self.text)):
            ready = select.select([self.master], [], [], max(0, deadline - time.monotonic()))[0]
            assert ready, f"no {pattern!r} in {self.text!r}"
            self.text += os.read(self.master, 1 << 16).decode()
        return found

    def send(self, line):
        os.write(self.master, line.encode() + b"\n")


def main():
    with tempfile.TemporaryDirectory() as folder:
        opener = os.path.join(folder, "xdg-open")
        with open(opener, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ntouch {folder}/was-opened\n")
        os.chmod(opener, 0o700)
        path = folder + os.pathsep + os.environ["PATH"]
        environment = dict(os.environ, XDG_STATE_HOME=folder, XDG_RUNTIME_DIR=folder, PATH=path, DISPLAY=":0",
                           SSH_CONNECTION="192.0.2.1 1 192.0.2.2 22")
        session = Session(sys.argv[1], environment)
        address = session.wait_until(r"http://127\.0\.0\.1:\d+/[0-9a-f]+/").group()
        assert is_served(address)
        # Words for people leave the board open.
        session.send("help")
        session.wait_until("isready")
        session.send("castle")
        session.wait_until("unknown command")
        assert is_served(address)
        session.send("ucci")
        session.wait_until("ucciok")
        assert not is_served(address), "the board is still there"
        session.send("position startpos")
        session.send("go depth 2")
        session.wait_until("bestmove")
        session.send("quit")
        assert session.process.wait(TIMEOUT) == 0
        assert not os.path.exists(f"{folder}/was-opened"), "a browser was opened in a remote shell"
        print(session.text)


if __name__ == "__main__":
    main()
