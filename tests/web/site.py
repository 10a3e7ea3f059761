"""Tests of the static site in a headless Chromium: site.py FOLDER [NAME…], or site.py --measure PROGRAM FOLDER.

Beside tests of its own it runs those of the page. The exit status is 77 if there is no browser or no driver.
"""

import base64
import hashlib
import json
import os
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import analysing  # noqa: E402
import page  # noqa: E402
import playing  # noqa: E402
from actions import GAME, begin_game, engine, load_game, move, open_view, paste, play_move, plies, state, wait  # noqa: E402
from browser import find  # noqa: E402

# They end the program that serves the page, and read its files.
OF_THE_PROGRAM = {"test_a_restarted_server_goes_on", "test_each_game_becomes_a_file"}


class FileServer:
    """A plain file server; started again it has the same address."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/"
        self.start()

    def start(self):
        self.process = subprocess.Popen([sys.executable, "-m", "http.server", str(self.port), "--bind", "127.0.0.1",
                                         "--directory", str(self.folder)],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            assert self.process.poll() is None, "the file server has ended"
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return
            except ConnectionRefusedError:
                time.sleep(0.02)

    def stop(self):
        self.process.terminate()
        self.process.wait()


def first_visit(browser):
    """Opens the site as a browser does that has never seen it."""
    browser.call("Page.navigate", url="about:blank")
    browser.call("Storage.clearDataForOrigin", origin=browser.url, storageTypes="all")
    browser.open(browser.url)
    assert not browser.run("crossOriginIsolated"), "no service worker has served the page"


def later_visit(browser):
    """Opens the site from what its service worker has kept."""
    browser.run("navigator.serviceWorker.ready.then(() => null)")
    browser.reload()
    assert browser.run("crossOriginIsolated"), "the page shares memory with its workers"


# A task that is stopped after its first line or move; a request is answered before that.
STOPPED = """(async () => {
    const { ask, start, stop } = await import('./engine.js');
    const moves = ['h2e2', 'h9g7', 'h0g2', 'i9h9', 'i0h0', 'b9c7', 'h0h6', 'c6c5'];
    const events = [];
    let id = 0;
    const end = await new Promise((resolve) => {
        id = start('%s', { moves, %s }, async (event, message) => {
            events.push(event);
            if (event === 'line' || event === 'progress') {
                if (events.filter((one) => one === event).length > 1) return;
                const { board } = await ask('position', { moves });
                events.push(`answered ${board.length}`);
                stop(id);
            }
            if (event === 'finished' || event === 'failed') resolve(message);
        });
    });
    return { events, end };
})()"""


def check_tasks(browser):
    """Checks that stopped tasks end with what they have found, and that a search follows another at once."""
    for request, limits in (("go", "purpose: 'analyse', lines: 3"), ("review", "time: 200")):
        found = browser.run(STOPPED % (request, limits))
        events, end = found["events"], found["end"]
        assert events[0] == "searching" and events[-1] == "finished", events
        assert events.index("answered 90") < events.index("finished"), events
        assert end["stopped"], end
        known = end["best"]["move"] if request == "go" else end["accuracy"][0]
        assert known, end
    load_game(browser, GAME, 16)
    engine(browser, True)
    for count in range(1, 7):
        browser.press("ArrowRight")
        wait(browser, f"game.state.moves.length === {count}")
    wait(browser, "analysis.lines.every((line) => line !== null)")


def test_first_visit(browser):
    first_visit(browser)
    check_tasks(browser)
    begin_game(browser, "elephant")
    play_move(browser, "h2e2")
    assert plies(browser) == 2
    open_view(browser, "analyse")


def test_later_visit_without_a_network(browser):
    first_visit(browser)
    browser.run("navigator.serviceWorker.ready.then(() => null)")
    browser.server.stop()
    try:
        later_visit(browser)
        check_tasks(browser)
        browser.reload()
        paste(browser, page.SHORT_GAME)
        wait(browser, "game.root.children[0]?.move === 'h2e2'")
        browser.click("#report")
        browser.wait("document.getElementById('accuracy').textContent.includes('%')")
        assert browser.run("document.querySelectorAll('.moves .mark').length") > 0
        begin_game(browser, "chuhe")
        play_move(browser, "h2e2")
        fen = browser.run(playing.BOARD)
        browser.reload()
        wait(browser, "match.side === 'red' && isUsersTurn()")
        assert browser.run(playing.BOARD) == fen
        play_move(browser, "h0g2")
        assert plies(browser) == 4
    finally:
        browser.server.start()


def test_it_can_be_installed(browser):
    later_visit(browser)
    manifest = browser.call("Page.getAppManifest")
    assert manifest["errors"] == [] and json.loads(manifest["data"])["display"] == "standalone", manifest
    errors = browser.call("Page.getInstallabilityErrors")["installabilityErrors"]
    assert errors == [], errors


def test_a_new_version_replaces_the_old_one(browser):
    later_visit(browser)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(browser.server.folder, folder, dirs_exist_ok=True)
        words = Path(folder, "words.js")
        words.write_text(words.read_text() + "\nglobalThis.isNew = true;\n")
        worker = Path(folder, "service-worker.js")
        checksum = base64.b64encode(hashlib.sha256(words.read_bytes()).digest()).decode()
        text = re.sub(r"(OWN_CACHES\})[0-9a-f]+", r"\1new", worker.read_text())
        worker.write_text(re.sub(r"('\./words\.js', 'sha256-)[^']+", lambda found: found[1] + checksum, text))
        old = browser.server.folder
        browser.server.stop()
        browser.server.folder = folder
        browser.server.start()
        try:
            browser.run("navigator.serviceWorker.getRegistration().then((found) => found.update()).then(() => null)")
            browser.wait("navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)")
            # A new version waits until no page has the old one.
            browser.call("Page.navigate", url="about:blank")
            time.sleep(1)
            browser.open(browser.url)
            browser.wait("globalThis.isNew")
            assert browser.run("caches.keys()") == [f"chuhe {browser.url} new"]
        finally:
            browser.server.stop()
            browser.server.folder = old
            browser.server.start()
            first_visit(browser)
            browser.run("navigator.serviceWorker.ready.then(() => null)")


def measure(browser, program):
    """Prints the bytes of a first visit, the time to the first move, and nodes and speed of `bench` beside the program."""
    times = []
    for _ in range(5):
        browser.call("Page.navigate", url="about:blank")
        browser.call("Network.clearBrowserCache")
        browser.call("Storage.clearDataForOrigin", origin=browser.url, storageTypes="all")
        browser.call("Page.navigate", url=browser.url)
        browser.wait_until_ready()
        browser.click("#door-play")
        move(browser, "h2e2")
        times.append(browser.run("performance.now()"))
    wait(browser, "isUsersTurn()")
    loaded = browser.run("performance.getEntriesByType('resource').reduce((sum, one) => sum + one.transferSize, 0)")
    print(f"first move made {statistics.median(times) / 1000:.2f} s after loading began, {loaded / 1e6:.2f} MB loaded")
    ratios = []
    for _ in range(5):
        nodes, milliseconds = browser.run("""(async () => {
            const { default: init, measure } = await import('./chuhe.js');
            await init();
            return [...measure(11)];
        })()""")
        text = subprocess.run([program, "bench", "11"], capture_output=True, text=True, check=True,
                              env=dict(os.environ, LC_ALL="C")).stdout
        native, speed = (int(re.search(pattern, text)[1]) for pattern in (r"total nodes (\d+)", r"(\d+) nodes/s"))
        own = nodes / milliseconds * 1000
        ratios.append(own / speed)
        print(f"bench: {nodes:.0f} nodes, {own:.0f} nodes/s; program: {native} nodes, {speed} nodes/s", flush=True)
    print(f"speed: {statistics.median(ratios):.2f} of the program")


def main():
    arguments = sys.argv[1:]
    program = None
    if arguments[:1] == ["--measure"]:
        program, arguments = arguments[1], arguments[2:]
    paths = find()
    if not paths:
        print("skipped: Chromium and ChromeDriver were not found; CHUHE_BROWSER and CHUHE_DRIVER may name them")
        return 77
    folder, wanted = arguments[0], arguments[1:]
    tests = {**globals(), **vars(page), **vars(playing), **vars(analysing)}
    tests = page.chosen({name: test for name, test in tests.items() if name not in OF_THE_PROGRAM}, wanted)
    with page.opened_browser(paths, FileServer(folder)) as browser:
        if program:
            browser.open(browser.url)
            measure(browser, program)
            return 0
        return 1 if page.run_tests(browser, tests) else 0


if __name__ == "__main__":
    sys.exit(main())
