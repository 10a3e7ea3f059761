"""What the tests of the page do with it."""

import json
import sys
from pathlib import Path

PICTURES = Path(sys.argv[2]) if len(sys.argv) > 2 else None
CHASE = "9/4a4/3k5/n3N2R1/4C4/9/9/B4K3/9/9 b - - 0 1"
CHASE_MOVES = "e8d9 e5d5 d9e8 d5e5 e8d9 e5d5 d9e8 d5e5".split()

GAME = "(async () => { const { game } = await import('./game.js'); return %s; })()"
MATCH = "(async () => { const { match } = await import('./play.js'); return %s; })()"


def state(browser, expression):
    return browser.run(GAME % expression)


def picture(browser, name):
    if PICTURES:
        PICTURES.mkdir(exist_ok=True)
        browser.screenshot(PICTURES / f"{name}.png")


def square(browser, name):
    """Returns the middle of a square on the screen."""
    return browser.run(f"""(() => {{
        const svg = document.querySelector('#board svg');
        const flipped = svg.innerHTML.includes('chuhe-coordinates-flipped"');
        let [x, y] = [({json.dumps(name)}.charCodeAt(0) - 97) * 100, 900 - Number({json.dumps(name)}[1]) * 100];
        if (flipped) [x, y] = [800 - x, 900 - y];
        const at = new DOMPoint(x, y).matrixTransform(svg.getScreenCTM());
        return [at.x, at.y];
    }})()""")


def click_square(browser, name):
    x, y = square(browser, name)
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseReleased", x, y)


def move(browser, text):
    """Makes a move by two clicks."""
    plies = state(browser, "game.state.moves.length")
    browser.run("document.getElementById('board').scrollIntoView({ block: 'nearest' })")
    click_square(browser, text[:2])
    click_square(browser, text[2:])
    browser.wait(GAME % f"game.state.moves.length > {plies}")


def type_move(browser, text):
    plies = state(browser, "game.state.moves.length")
    browser.fill("#move-text", text)
    browser.click("#move-form button")
    browser.wait(GAME % f"game.state.moves.length > {plies}")


def set_fen(browser, fen):
    browser.fill("#fen", fen)
    browser.click("#set-fen")
    browser.wait(GAME % f"game.state.fen.split(' ')[0] === {json.dumps(fen.split(' ')[0])}")


def load_text(browser, text):
    browser.fill("#paste", text)
    browser.click("#load")


def analyse_mode(browser, engine=False):
    browser.click("#mode-analyse")
    browser.wait("!document.getElementById('analysis-panel').hidden")
    if not engine:
        browser.click("#engine")


def choose_time(browser, value):
    """Chooses a time that the list lacks."""
    browser.run(f"document.getElementById('time').add(new Option('test', {json.dumps(value)}))")
    browser.fill("#time", value)
