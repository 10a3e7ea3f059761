"""Tests of the page of `chuhe web` in a headless Chromium: page.py PROGRAM [NAME…], or page.py --pictures FOLDER PROGRAM.

NAME is a part of the names of the tests to run. The exit status is 77 if there is no browser or no driver.
"""

import contextlib
import json
import re
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import analysing  # noqa: E402
import playing  # noqa: E402
from actions import begin_game, engine, load_game, load_text, move, open_view, play_move, state, wait  # noqa: E402
from browser import Browser, find  # noqa: E402

AXE = (Path(__file__).parent / "vendor/axe.min.js").read_text()
# With mistakes of both sides.
SHORT_GAME = "1. h2e2 h9g7 2. e2e6 a9a8 *"


class Server:
    """A program that serves the page; started again it has the same address."""

    def __init__(self, program):
        self.program = program
        self.folder = tempfile.TemporaryDirectory()
        self.games = Path(self.folder.name) / "games"
        self.games.mkdir()
        # Another program may have the default port, and then the token would not be kept.
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.start()

    def start(self):
        environment = {"XDG_STATE_HOME": self.folder.name, "HOME": self.folder.name, "PATH": "/usr/bin:/bin"}
        command = [self.program, "web", "--no-open", "--hash", "16", "--port", str(self.port), "--games", str(self.games)]
        self.process = subprocess.Popen(command, env=environment,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


def walk(browser):
    """Opens one view or dialog after the other, and names each."""
    def in_dialog(name, selector):
        browser.click(selector)
        yield name
        browser.click("#close")

    yield "start"
    yield from in_dialog("open", "#door-review")
    yield from in_dialog("settings", "#settings")
    open_view(browser, "play")
    yield "setup"
    yield from in_dialog("opponents", "#ratings")
    begin_game(browser, "horse", clock="countdown")
    play_move(browser, "h2e2")
    yield "game"
    browser.click("#home")
    yield "unfinished"
    browser.click("#go-on button")
    browser.click("#new-game")
    yield "question"
    browser.click("#no")
    browser.run("import('./match.js').then(({ resign }) => resign())")
    wait(browser, "!isPlaying()")
    yield "ended"
    open_view(browser, "games")
    yield "games"
    load_game(browser, SHORT_GAME, 4)
    browser.click("#last")
    wait(browser, "game.state.moves.length === 4 && analysis.lines.every((line) => line !== null)")
    # The lines stay without the engine, which would need a whole core.
    browser.run("import('./engine.js').then(({ ask }) => ask('stop'))")
    yield "analyse"
    browser.click("#report")
    browser.wait("document.getElementById('accuracy').textContent.includes('%')")
    engine(browser, False)
    yield "report"
    yield from in_dialog("share", "#share")
    browser.click("#edit")
    yield "editor"


def change(browser, **settings):
    """Changes settings while the page is open."""
    browser.run(f"""(async () => {{
        const changes = {json.dumps(settings)};
        (await import('./store.js')).set(changes);
        const {{ applyLook, chooseLanguage }} = await import('./dialogs.js');
        applyLook();
        if (changes.language) chooseLanguage(changes.language);
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    }})()""")


def reset(browser, **settings):
    """Opens the page with these settings; others and all games are forgotten."""
    browser.call("Page.navigate", url="about:blank")
    browser.call("Storage.clearDataForOrigin", origin=browser.url, storageTypes="local_storage")
    browser.open(browser.url)
    # A full history loses steps that no real click has left.
    browser.call("Page.resetNavigationHistory")
    if settings:
        change(browser, **settings)


# Names, tags, formats and units that Chinese keeps.
KEPT = re.compile(r"chuhe|Chuhe|EN|English|FEN|PGN|XQF|DhtmlXQ|UBB|UCCI|UCI|Elo|PNG|SVG|[A-Za-z0-9/]+ [wb] - - \d+ \d+|\b[RNBAKCPrnbakcp][1-9+-][.+-][1-9]|[a-i][0-9][a-i][0-9]|Home|End|Enter|\bF\b|\bE\b")
TEXTS = """(() => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('script, noscript')) texts.push(walker.currentNode.textContent);
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]')) {
        for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name) ?? '');
    }
    return texts;
})()"""


def test_every_view_is_accessible_and_chinese_to_the_end(browser):
    change(browser, notation="chinese")
    browser.run(f"{AXE};null")
    for view in walk(browser):
        for theme, board in (("light", "wood"), ("dark", "dark")):
            change(browser, theme=theme, board=board)
            # Colours are all that differs between the themes.
            rules = "" if theme == "light" else ", runOnly: ['color-contrast']"
            faults = browser.run(f"axe.run({{ resultTypes: ['violations']{rules} }})"
                                 ".then(({ violations }) => violations.map((fault) => "
                                 "`${fault.id}: ${fault.nodes.slice(0, 3).map((node) => node.html.slice(0, 160)).join(' | ')}`))")
            assert faults == [], f"{theme} {view}: {faults}"
        change(browser, language="zh")
        assert browser.run("document.documentElement.lang") == "zh-CN"
        english = [text for text in browser.run(TEXTS) if re.search("[A-Za-z]{2,}", KEPT.sub("", text))]
        assert english == [], f"{view}: {english}"
        change(browser, language="en")


def test_errors_are_in_the_chosen_language(browser):
    change(browser, language="zh")
    load_text(browser, '[Red "draw"]\n\n1. h2e2 h9g7 2. e2e9 *')
    browser.wait("document.querySelector('.toast.error') !== null")
    text = browser.text("#toast span")
    assert "不合规则" in text and not re.search("[A-Za-z]{2,}", KEPT.sub("", text)), text
    assert browser.text("#player-bottom b") == "draw", "a name is not translated"


def test_messages_cover_no_player(browser):
    begin_game(browser, "horse", clock="countdown")
    for width, height in ((1280, 800), (390, 844), (360, 640), (844, 390)):
        browser.resize(width, height, is_phone=width < 1000)
        state(browser, "(await import('./page.js')).toast('The game was left. '.repeat(3), { undo: () => {} })")
        browser.wait("document.getElementById('toast') !== null")
        covered = browser.run("""(() => {
            const toast = document.getElementById('toast').getBoundingClientRect();
            return [...document.querySelectorAll('.player, .action.four button')].filter((element) => {
                const box = element.getBoundingClientRect();
                return box.left < toast.right && toast.left < box.right && box.top < toast.bottom && toast.top < box.bottom;
            }).map((element) => element.id);
        })()""")
        assert covered == [], f"{covered} at {width} × {height}"


def test_the_choice_of_an_opponent_fits(browser):
    browser.resize(1280, 800)
    open_view(browser, "play")
    for language in ("en", "zh"):
        change(browser, language=language)
        for selector in ("[name=side]", "#clock", "#begin"):
            assert fits(browser, selector), selector
        assert browser.run("(({ scrollHeight, clientHeight }) => scrollHeight <= clientHeight)(document.querySelector('#setup .scroll'))")


def test_languages_change_at_once(browser):
    open_view(browser, "analyse")
    move(browser, "h2e2")
    assert browser.text("#opening") == "Central Cannon"
    browser.click("#language")
    browser.wait("document.getElementById('opening').textContent === '中炮'")
    browser.click("#settings")
    browser.click("[name=notation][value=chinese]")
    browser.wait("document.getElementById('moves').textContent.includes('炮二平五')")


def fits(browser, selector):
    """Returns whether an element is seen as a whole."""
    return browser.run(f"""(() => {{
        const box = document.querySelector({json.dumps(selector)}).getBoundingClientRect();
        return box.width > 0 && box.left >= -0.5 && box.top >= -0.5 && box.right <= innerWidth + 0.5 && box.bottom <= innerHeight + 0.5;
    }})()""")


def test_phone_upright_and_sideways(browser):
    for width, height in ((360, 640), (390, 844), (844, 390), (740, 360)):
        browser.resize(width, height, is_phone=True)
        reset(browser)
        browser.click("#door-play")
        move(browser, "h2e2")
        wait(browser, "isUsersTurn()")
        for selector in ("svg.board", "#take-back", "#hint", "#offer-draw", "#resign"):
            assert fits(browser, selector), f"{selector} at {width} × {height}"
        small = browser.run("""[...document.querySelectorAll('button, select, input, [role=switch]')].filter((element) => element.checkVisibility()
            && !element.closest('.moves, .pv, .choice, .opponents')).filter((element) => element.getBoundingClientRect().height < 43.5).map((element) => element.outerHTML.slice(0, 90))""")
        assert small == [], f"targets under 44 px: {small}"
        assert browser.run("document.documentElement.scrollWidth") <= width


def test_the_board_fills_a_large_screen(browser):
    browser.resize(1920, 1080)
    open_view(browser, "analyse")
    assert browser.run("document.querySelector('svg.board').getBoundingClientRect().height") > 880
    browser.resize(1200, 900)


def test_keyboard_only(browser):
    for _ in range(40):
        browser.press("Tab")
        if browser.run("document.activeElement.id") == "door-play":
            break
    browser.press("Enter")
    wait(browser, "page.view === 'play'")
    for _ in range(60):
        browser.press("Tab")
        if browser.run("document.activeElement.matches('svg.board')"):
            break
    assert browser.run("document.activeElement.matches('svg.board')"), "the board is reached by Tab"
    for key in ("ArrowRight",) * 3 + ("ArrowUp",) * 2:
        browser.press(key)
    browser.wait("document.getElementById('live').textContent.includes('h2')")
    assert "cannon" in browser.text("#live")
    browser.press("Enter")
    for _ in range(3):
        browser.press("ArrowLeft")
    browser.press("Enter")
    wait(browser, "game.state.moves.length === 2")
    browser.run("document.activeElement.blur()")
    browser.press("ArrowLeft")
    wait(browser, "game.state.moves.length === 1")
    browser.press("f", "f")
    wait(browser, "page.flipped")


def test_looks(browser):
    open_view(browser, "analyse")
    browser.click("#settings")
    for pieces in ("traditional", "pictures", "simplified"):
        browser.click(f"[name=pieces][value={pieces}]")
        wait(browser, f"settings.pieces === '{pieces}'")
        faces = browser.run("[...document.querySelectorAll('svg.board .face')].filter((face) => (face.getAttribute('d') ?? '').length > 20).length")
        assert faces == 32, f"{pieces}: {faces}"
    for board in ("paper", "dark", "wood"):
        browser.click(f"[name=board][value={board}]")
        assert browser.run("document.documentElement.dataset.board") == board
    browser.click("#close")
    # A piece that moves keeps its element, so that it is seen to move.
    browser.run("window.cannon = document.querySelector('[data-square=h2]')")
    move(browser, "h2e2")
    assert browser.run("window.cannon.dataset.square") == "e2"
    assert browser.run("getComputedStyle(window.cannon).transitionDuration") == "0.15s"
    browser.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
    assert browser.run("getComputedStyle(window.cannon).transitionDuration") == "0s"
    browser.call("Emulation.setEmulatedMedia", features=[])


def test_settings_are_remembered(browser):
    browser.click("#settings")
    browser.click("[name=board][value=paper]")
    # Another tab changes one that is not changed here.
    browser.run("localStorage.setItem('chuhe-settings', JSON.stringify({ ...JSON.parse(localStorage.getItem('chuhe-settings')), coordinates: true }))")
    browser.click("[name=language][value=zh]")
    browser.reload()
    assert state(browser, "settings.coordinates")
    assert browser.run("document.documentElement.dataset.board") == "paper"
    assert browser.run("document.documentElement.lang") == "zh-CN"


def take_pictures(browser, folder):
    """Saves a picture of each view in several sizes and colours."""
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {"1280": (1280, 800, False, {}), "1920": (1920, 1080, False, {}), "phone": (390, 844, True, {}),
             "sideways": (844, 390, True, {}), "dark": (1280, 800, False, {"theme": "dark", "board": "dark"}),
             "chinese": (1280, 800, False, {"language": "zh", "notation": "chinese"})}
    for kind, (width, height, is_phone, settings) in kinds.items():
        browser.resize(width, height, is_phone)
        reset(browser, **settings)
        for view in walk(browser):
            browser.run("new Promise((resolve) => setTimeout(resolve, 400))")
            browser.screenshot(folder / f"{view}-{kind}.png")


def chosen(tests, wanted):
    """Returns the tests of a dictionary whose names have one of these parts; all without parts."""
    return [(name, test) for name, test in tests.items()
            if name.startswith("test_") and (not wanted or any(part in name for part in wanted))]


def run_tests(browser, tests):
    """Runs tests, each in a page of its own, and returns the number of those that fail."""
    failed = 0
    for name, test in tests:
        begin = time.monotonic()
        try:
            browser.resize(1200, 900)
            reset(browser)
            browser.errors()
            test(browser)
            errors = [error for error in browser.errors() if "WebSocket connection" not in error]
            assert errors == [], f"errors of the page: {errors}"
            print(f"ok      {time.monotonic() - begin:5.1f} s  {name}", flush=True)
        except Exception:  # pylint: disable=broad-except
            failed += 1
            print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    return failed


@contextlib.contextmanager
def opened_browser(paths, server):
    """A browser for the page of a server, which ends with it."""
    browser = Browser(*paths)
    browser.url, browser.server = server.url, server
    try:
        yield browser
    finally:
        browser.close()
        server.stop()


def main():
    arguments = sys.argv[1:]
    pictures = None
    if arguments[:1] == ["--pictures"]:
        pictures, arguments = Path(arguments[1]), arguments[2:]
    paths = find()
    if not paths:
        print("skipped: Chromium and ChromeDriver were not found; CHUHE_BROWSER and CHUHE_DRIVER may name them")
        return 77
    program, wanted = arguments[0], arguments[1:]
    tests = chosen({**globals(), **vars(playing), **vars(analysing)}, wanted)
    with opened_browser(paths, Server(program)) as browser:
        if pictures:
            browser.open(browser.url)
            take_pictures(browser, pictures)
            return 0
        return 1 if run_tests(browser, tests) else 0


if __name__ == "__main__":
    sys.exit(main())
