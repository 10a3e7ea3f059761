"""What the tests of the page do with it."""

import json

CHASE = "9/4a4/3k5/n3N2R1/4C4/9/9/B4K3/9/9 b - - 0 1"
CHASE_MOVES = "e8d9 e5d5 d9e8 d5e5 e8d9 e5d5 d9e8 d5e5".split()
GAME = ("1. h2e2 h9g7 2. h0g2 i9h9 3. i0h0 b9c7 4. h0h6 c6c5 5. h6g6 h7i7 6. b0c2 h9h5 7. a0b0 h5f5 8. g6g7 f5f2 *")

MODULES = """(async () => {
    const { game, path } = await import('./game.js');
    const { match, isUsersTurn, isPlaying } = await import('./match.js');
    const { analysis } = await import('./analysis.js');
    const { page } = await import('./page.js');
    const { settings, games } = await import('./store.js');
    return %s;
})()"""


def state(browser, expression):
    """Returns the value of an expression over the modules of the page."""
    return browser.run(MODULES % expression)


def wait(browser, expression):
    browser.wait(MODULES % expression)


def plies(browser):
    return state(browser, "game.state.moves.length")


def square(browser, name):
    """Returns the middle of a point on the screen."""
    return browser.run(f"""(() => {{
        const box = document.querySelector('[data-point="{name}"]').getBoundingClientRect();
        return [box.x + box.width / 2, box.y + box.height / 2];
    }})()""")


def click_square(browser, name):
    x, y = square(browser, name)
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseReleased", x, y)


def move(browser, text):
    """Makes a move by two clicks on the board as it is seen."""
    wait(browser, "document.querySelector('svg.board')?.dataset.fen === game.state.fen")
    before = plies(browser)
    click_square(browser, text[:2])
    click_square(browser, text[2:])
    wait(browser, f"game.state.moves.length > {before}")


def play_move(browser, text):
    """Makes a move in a game and waits for the reply."""
    move(browser, text)
    wait(browser, "isUsersTurn() || !isPlaying()")


def choose(browser, name, value):
    """Chooses a value shown as a radio button."""
    browser.click(f"[name={name}][value={value}]")


def open_view(browser, name):
    browser.click(f"#tabs-head-{name}")
    wait(browser, f"page.view === '{name}'")


def begin_game(browser, opponent="crossed", side="red", clock="none"):
    """Begins a game in the view of play, without a book and against an opponent who does not make a pause."""
    open_view(browser, "play")
    browser.run("import('./store.js').then(({ set }) => set({ book: false }))")
    browser.run("import('./match.js').then(({ match }) => { match.pause = 0; })")
    choose(browser, "opponent", opponent)
    choose(browser, "side", side)
    browser.fill("#clock", clock)
    browser.click("#begin")
    wait(browser, "match.side !== null")


def begin_from(browser, fen, opponent):
    """Begins a game at a position, in which the side to move is the user's."""
    browser.run(f"import('./store.js').then(({{ set }}) => set({{ opponent: {json.dumps(opponent)} }}))")
    state(browser, f"(await import('./files.js')).setFen('{fen}')")
    state(browser, "(await import('./match.js')).beginHere()")
    open_view(browser, "play")
    wait(browser, "isUsersTurn()")


def load_text(browser, text):
    """Loads a game through the dialog."""
    browser.run("import('./page.js').then(({ openDialog }) => openDialog('open'))")
    browser.wait("document.getElementById('paste') !== null")
    browser.fill("#paste", text)
    browser.click("#load")


def load_game(browser, text, count):
    """Loads a game and waits until it has so many moves."""
    load_text(browser, text)
    wait(browser, f"page.view === 'analyse' && (await import('./game.js')).toObject().nodes.length === {count}")


def engine(browser, is_on):
    """Turns the engine of the analysis on or off."""
    if (browser.run("document.getElementById('engine').getAttribute('aria-checked')") == "true") != is_on:
        browser.click("#engine")


def paste(browser, text):
    """Pastes a text on the page, outside of all fields."""
    browser.run(f"""(() => {{
        const data = new DataTransfer();
        data.setData('text', {json.dumps(text)});
        document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData: data, bubbles: true }}));
    }})()""")
