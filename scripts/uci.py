"""Engine that speaks UCI, for the scripts beside this file."""

import re
import subprocess
import threading

# Seconds that an engine may take for an answer.
PATIENCE = 120
ANSWER = re.compile(r"(?:multipv (\d+) )?score (cp|mate) (-?\d+)(?:.* wdl (\d+) (\d+) (\d+))?.* pv (\S+)")


class Engine:
    """Engine with options, `NAME=VALUE`, and its name as it tells it."""

    def __init__(self, program, options):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        self.send("uci")
        greeting = "".join(self.lines_to("uciok"))
        self.name = re.search(r"id name (.*)", greeting + "id name unknown")[1]
        self.known = re.findall(r"option name (.+?) type", greeting)
        for option in options:
            self.set(*option.partition("=")[::2])

    def set(self, name, value):
        if name.lower() not in map(str.lower, self.known):
            raise OSError(f"the engine has no option '{name}'")
        self.send(f"setoption name {name} value {value}")
        self.send("isready")
        for line in self.lines_to("readyok")[:-1]:
            raise OSError(f"option '{name}' is refused: {line.strip()}")

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def lines_to(self, word):
        lines = []
        # An engine that does not answer is ended, and with it what it writes.
        timer = threading.Timer(PATIENCE, self.process.kill)
        timer.start()
        try:
            while not lines or not lines[-1].startswith(word):
                lines.append(self.process.stdout.readline())
                if not lines[-1]:
                    raise OSError(f"the engine ended or did not answer '{word}' within {PATIENCE} s")
        finally:
            timer.cancel()
        return lines

    def search(self, position, nodes):
        """Returns the best move, and a dictionary from the number of a line to its score, chances of the side to move to
        win, draw and lose, and first move."""
        for line in ["ucinewgame", f"position {position}", f"go nodes {nodes}"]:
            self.send(line)
        *infos, last = self.lines_to("bestmove")
        answers = {}
        for match in filter(None, map(ANSWER.search, infos)):
            number, kind, score, *chances, move = match.groups()
            chances = [int(chance) / 1000 for chance in chances if chance is not None]
            answers[int(number or 1)] = (f"{kind} {score}", chances, move)
        return last.split()[1], answers

    def chances(self, position, nodes):
        """Returns score and chances of the side to move, with UCI_ShowWDL. A side without a move has lost."""
        best, answers = self.search(position, nodes)
        return ("mate 0", [0, 0, 1]) if best == "(none)" and not answers else of_best_line(position, answers)


def of_best_line(position, answers):
    """Returns score and chances of the first of the lines of a search."""
    if 1 not in answers or not answers[1][1]:
        raise OSError(f"no chances for {position}")
    return answers[1][:2]
