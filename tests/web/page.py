"""Tests of the page of `chuhe web` in a headless Chromium: page.py URL [FOLDER FOR PICTURES].

The exit status is 77 if there is no browser or no driver.
"""

import base64
import sys
import tempfile
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import controls  # noqa: E402
import playing  # noqa: E402
from actions import (CHASE, CHASE_MOVES, GAME, MATCH, analyse_mode, choose_time, click_square, load_text,  # noqa: E402
                     move, picture, set_fen, square, state, type_move)
from browser import Browser, find  # noqa: E402

URL = sys.argv[1]

# Searches for a move to play with few nodes.
FIND_MOVE = """(async () => {
    const { start } = await import('./connection.js');
    const { line } = await import('./game.js');
    return new Promise((resolve, reject) => start('go', { ...line(), purpose: 'hint', nodes: 4000 }, (event, message) => {
        if (event === 'finished') resolve(message.best?.move ?? null);
        if (event === 'failed') reject(new Error(message.error));
    }));
})()"""


def test_whole_game_against_level_one(browser):
    browser.fill("#level", "1")
    browser.run("document.getElementById('use-book').checked = false")
    browser.click("#new-game .main")
    # Rules end every game; one that lasts too long for a test is resigned.
    for _ in range(100):
        browser.wait(GAME % "game.state.verdict.word !== 'none' || "
                     "(await import('./play.js')).isUsersTurn() && (await import('./play.js')).match.side === 'red'")
        if state(browser, "game.state.verdict.word") != "none":
            break
        move(browser, browser.run(FIND_MOVE))
    else:
        browser.click("#resign")
    text = browser.text("#state")
    result = {"1-0": "Red wins: ", "0-1": "Black wins: ", "1/2-1/2": "Draw: "}[state(browser, "game.result")]
    assert text.startswith(result) and len(text) > len(result), text
    assert text.split(" · ")[0] in browser.text("#live"), "the end is announced"
    assert browser.text("#moves").strip().endswith(state(browser, "game.result"))
    picture(browser, "end")


def xqf(moves):
    """Returns an XQF file of version 10: nodes of move, continuation, alternative and comment."""
    order = ["a0 b0 c0 d0 e0 f0 g0 h0 i0 b2 h2 a3 c3 e3 g3 i3", "a9 b9 c9 d9 e9 f9 g9 h9 i9 b7 h7 a6 c6 e6 g6 i6"]
    number = lambda name: (ord(name[0]) - 97) * 10 + int(name[1])  # noqa: E731
    head = bytearray(1024)
    head[:3] = b"XQ\x0a"
    head[16:48] = bytes(number(name) for name in " ".join(order).split())
    red = "许银川".encode("gbk")
    head[0x130:0x131 + len(red)] = bytes([len(red)]) + red
    body = bytes([0x18, 0x20, 0xF0, 0, 0, 0, 0, 0])
    for name, goes_on, alternative, comment in moves:
        text = comment.encode("gbk")
        tag = 0xF0 * goes_on | 0x0F * alternative
        body += bytes([number(name[:2]) + 0x18, number(name[2:]) + 0x20, tag, 0]) + len(text).to_bytes(4, "little") + text
    return bytes(head) + body


def test_analysis_of_a_loaded_xqf(browser):
    data = xqf([("h2e2", 1, 1, "中炮"), ("h9g7", 1, 0, ""), ("h0g2", 0, 0, ""), ("c3c4", 0, 0, "仙人指路")])
    with tempfile.NamedTemporaryFile(suffix=".xqf") as file:
        file.write(data)
        file.flush()
        analyse_mode(browser, engine=True)
        browser.choose_file("#file", file.name)
        browser.wait("document.querySelectorAll('#moves .move').length === 4")
    assert "仙人指路" in browser.text("#moves .variation") and "许银川" in browser.text("#player-bottom")
    browser.click("#last")
    browser.wait(GAME % "game.state.moves.length === 3")
    browser.wait("document.querySelectorAll('#lines li').length === 3")
    browser.wait("document.querySelectorAll('#board path[fill-opacity]').length >= 3")
    browser.wait("/\\d/.test(document.getElementById('bar-text').textContent)")
    browser.wait("document.querySelectorAll('#lines li').length === 3 && /[5-9]|\\d\\d/.test(document.getElementById('engine-state').textContent)")
    picture(browser, "analysis")
    browser.fill("#report-time", "100")
    browser.click("#report")
    browser.wait("document.getElementById('accuracy').textContent.includes('%')")
    assert browser.run("document.querySelectorAll('#chart .curve').length") == 1
    picture(browser, "report")


def test_perpetual_chase_is_explained(browser):
    analyse_mode(browser)
    set_fen(browser, CHASE)
    for text in CHASE_MOVES:
        move(browser, text)
    assert "Black wins" in browser.text("#state") and "chases" in browser.text("#state"), browser.text("#state")
    assert browser.run("document.querySelectorAll('#reason li').length") == 8
    assert "threatens" in browser.text("#reason ol")
    assert browser.text("#bar-text") == "0-1"
    browser.click("#language")
    assert "长捉" in browser.text("#state")


def test_take_back_variation_save_and_reload(browser):
    analyse_mode(browser)
    for text in ("炮二平五", "h9g7", "N2+3"):
        type_move(browser, text)
    browser.click("#take-back") if browser.run("!document.getElementById('play-panel').hidden") else browser.click("#previous")
    browser.wait(GAME % "game.state.moves.length === 2")
    type_move(browser, "马八进七")
    browser.fill("#comment", "另一变")
    assert browser.run("document.querySelectorAll('#moves .variation').length") == 1
    before = state(browser, "(await import('./game.js')).toObject()")
    for name in ("pgn", "xqf", "dhtmlxq"):
        data = browser.run(f"""(async () => {{
            const {{ ask }} = await import('./connection.js');
            const {{ toObject }} = await import('./game.js');
            return (await ask('export', {{ game: toObject(), format: '{name}', notation: 'chinese' }})).data;
        }})()""")
        with tempfile.NamedTemporaryFile(suffix=f".{name}") as file:
            file.write(base64.b64decode(data))
            file.flush()
            browser.click("#first")
            browser.choose_file("#file", file.name)
            browser.wait(GAME % "game.current === game.root && game.root.children.length === 1")
            browser.wait("document.querySelectorAll('#moves .variation').length === 1")
        after = state(browser, "(await import('./game.js')).toObject()")
        assert after["nodes"] == before["nodes"], f"{name}: {after}"
    # In a game against the engine, taking back returns to the user's last turn.
    browser.click("#mode-play")
    browser.fill("#level", "1")
    browser.click("#new-game .main")
    browser.wait(GAME % "game.state.moves.length === 0")
    type_move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 0")


def test_clocks(browser):
    browser.fill("#level", "1")
    choose_time(browser, "clock:600000:600000")
    browser.click("#new-game .main")
    browser.wait("/^9:/.test(document.querySelector('#player-bottom .clock').textContent)")
    assert browser.text("#player-top .clock") == "10:00", "only one clock runs"
    type_move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    assert browser.run(MATCH % "match.clocks.red > 700000 && match.clocks.black > 700000"), "increments"
    # Both flags fall, that of the engine while it thinks.
    browser.run(MATCH % "match.clocks.red = 300")
    browser.wait("document.getElementById('state').textContent.startsWith(\"Black wins: Red's time is over\")")
    assert "Red's time is over" in browser.text("#live") and browser.text("#moves").strip().endswith("0-1")
    assert browser.text("#player-bottom .clock") == "0:00"
    assert browser.run("document.getElementById('resign').disabled")
    browser.fill("#move-text", "h0g2")
    browser.click("#move-form button")
    browser.wait("document.getElementById('notice').textContent.includes('time is over')")
    assert state(browser, "game.state.moves.length") == 2, "the game is over"
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 0 && game.result === '*'")
    assert browser.run(MATCH % "match.clocks.red > 500000"), "taking back turns the clock back"
    choose_time(browser, "clock:1:0")
    browser.fill("#side", "black")
    browser.run("document.getElementById('use-book').checked = false")
    browser.fill("#level", "20")
    browser.click("#new-game .main")
    browser.wait("document.getElementById('state').textContent.startsWith(\"Black wins: Red's time is over\")")


def test_end_by_agreement_and_resignation(browser):
    # Neither side can win, so the engine agrees.
    set_fen(browser, "3k5/9/9/9/9/p8/P8/9/9/4K4 w")
    browser.click("#from-here")
    browser.click("#offer-draw")
    browser.wait("/^Draw: drawn by agreement/.test(document.getElementById('state').textContent)")
    # The engine is far ahead.
    set_fen(browser, "3k5/9/4r4/9/9/p8/P8/9/9/5K3 w")
    browser.click("#from-here")
    browser.click("#offer-draw")
    browser.wait("document.getElementById('state').textContent.includes('declines')")
    browser.click("#hint")
    browser.wait("document.getElementById('state').textContent.includes('Hint: ')")
    assert browser.run("document.querySelectorAll('#board path[fill-opacity]').length") == 1, "an arrow"
    browser.click("#resign")
    browser.wait("document.getElementById('state').textContent === 'Black wins: Red resigns'")
    assert state(browser, "game.result") == "0-1"


def test_phone_width(browser):
    browser.resize(360, 740, is_phone=True)
    browser.wait("innerWidth === 360")
    assert browser.run("document.documentElement.scrollWidth") <= 360, "nothing is wider than the screen"
    assert browser.run("document.querySelector('#board svg').getBoundingClientRect().width") > 280
    move(browser, "h2e2")
    picture(browser, "phone")
    analyse_mode(browser, engine=True)
    browser.wait("document.querySelectorAll('#lines li').length > 0")
    assert browser.run("document.documentElement.scrollWidth") <= 360
    picture(browser, "phone-analysis")


def test_keyboard_only(browser):
    for _ in range(40):
        if browser.run("document.activeElement.closest('#board') !== null"):
            break
        browser.press("Tab")
    assert browser.run("document.activeElement.closest('#board') !== null"), "the board is reached by Tab"
    for key in ("ArrowRight",) * 3 + ("ArrowUp",) * 2:
        browser.press(key)
    assert "h2" in browser.text("#live") and "cannon" in browser.text("#live"), browser.text("#live")
    browser.press("Enter")
    for _ in range(3):
        browser.press("ArrowLeft")
    browser.press("Enter")
    browser.wait(GAME % "game.state.moves.length === 1")
    assert "C2.5" in browser.text("#live") and "Black to move" in browser.text("#live"), browser.text("#live")
    browser.run("document.activeElement.blur()")
    browser.press("ArrowLeft")
    browser.wait(GAME % "game.state.moves.length === 0")
    browser.press("ArrowRight")
    browser.wait(GAME % "game.state.moves.length === 1")
    browser.press("f", "f")
    browser.wait("document.querySelector('#board svg').innerHTML.includes('flipped')")


def test_chinese(browser):
    browser.click("#language")
    texts = browser.run("""[...document.querySelectorAll('[data-text]')].filter((element) => element.dataset.text !== 'other_language')
        .map((element) => element.textContent).filter((text) => !/[\\u4e00-\\u9fff]/.test(text))""")
    assert texts == [], f"not translated: {texts}"
    assert browser.run("document.documentElement.lang") == "zh-CN"
    assert "红方" in browser.text("#player-bottom")
    browser.fill("#notation", "chinese")
    move(browser, "h2e2")
    assert "炮二平五" in browser.text("#moves") and "炮二平五" in browser.text("#live")
    assert browser.text("#opening") == "中炮"
    picture(browser, "chinese")
    browser.click("#language")
    assert browser.text("#opening") == "Central Cannon"


def test_pieces_are_dragged_and_positions_edited(browser):
    (x1, y1), (x2, y2) = square(browser, "b0"), square(browser, "c2")
    browser.mouse("mousePressed", x1, y1)
    browser.mouse("mouseMoved", (x1 + x2) / 2, (y1 + y2) / 2)
    # Lines of the engine and clocks draw the board at any time.
    browser.run("document.getElementById('arrows').dispatchEvent(new Event('change'))")
    browser.mouse("mouseMoved", x2, y2)
    assert browser.run("document.querySelectorAll('#board .dragged').length") == 1
    assert browser.run("document.querySelectorAll('#board .piece').length") == 32
    browser.mouse("mouseReleased", x2, y2)
    browser.wait(GAME % "game.state.moves.length === 1 && game.current.move === 'b0c2'")
    browser.run("document.getElementById('files').open = true")
    browser.click("#edit")
    browser.click("#edit-clear")
    for letter, name in (("K", "e0"), ("R", "i0"), ("k", "d9")):
        browser.click(f"#palette button:nth-child({'KABNRCPkabnrcp'.index(letter) + 1})")
        click_square(browser, name)
    browser.click("#edit-side") if browser.text("#edit-side").endswith("(Black)") else None
    picture(browser, "edit")
    # Analysis begins with the edited position.
    analyse_mode(browser)
    browser.wait(GAME % "game.state.fen.startsWith('3k5/9/9/9/9/9/9/9/9/4K3R w')")
    assert not browser.run("document.getElementById('palette')"), "editing has ended"
    browser.wait("!document.getElementById('tables').hidden")
    assert "Win" in browser.text("#tables")
    # An impossible position is explained and stays on the board; a new game replaces it.
    browser.click("#edit")
    browser.click("#edit-clear")
    browser.click("#edit")
    browser.wait("!document.getElementById('notice').hidden")
    assert browser.run("document.querySelectorAll('#board .piece').length") == 0
    load_text(browser, "h2e2 h9g7")
    browser.wait("document.querySelectorAll('#board .piece').length === 32")
    assert not browser.run("document.getElementById('palette')"), "editing has ended"


CONTRAST = """(() => {
    const parse = (text) => text.match(/[\\d.]+/g).map(Number);
    const channel = (value) => (value / 255 <= 0.03928 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
    const background = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour.length < 4 || colour[3] > 0) return colour;
        }
        return [255, 255, 255];
    };
    const poor = [];
    for (const element of document.querySelectorAll('body *')) {
        const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
        if (!hasText || !element.checkVisibility() || element.disabled || element.closest('svg, #bar')) continue;
        const [a, b] = [luminance(parse(getComputedStyle(element).color)), luminance(background(element))];
        const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (ratio < 4.5) poor.push(`${element.tagName}#${element.id}.${element.className} ${ratio.toFixed(2)}`);
    }
    return poor;
})()"""

UNNAMED = """[...document.querySelectorAll('button, input, select, textarea, [role=img], [role=application]')]
    .filter((element) => !(element.getAttribute('aria-label') || element.textContent.trim() && element.tagName === 'BUTTON'
        || element.labels?.length && [...element.labels].some((label) => label.textContent.trim())))
    .map((element) => element.outerHTML.slice(0, 100))"""


def test_contrast_and_names_of_controls(browser):
    move(browser, "h2e2")
    for theme in ("light", "dark"):
        if browser.run("document.documentElement.dataset.theme") != theme:
            browser.click("#theme")
        for mode in ("#mode-play", "#mode-analyse"):
            browser.click(mode)
            browser.run("document.getElementById('files').open = true")
            poor = browser.run(CONTRAST)
            assert poor == [], f"{theme} {mode}: {poor}"
            picture(browser, f"{theme}{mode}".replace("#", "-"))
    unnamed = browser.run(UNNAMED)
    assert unnamed == [], unnamed


def main():
    paths = find()
    if not paths:
        print("skipped: Chromium and ChromeDriver were not found; CHUHE_BROWSER and CHUHE_DRIVER may name them")
        return 77
    wanted = sys.argv[3:]
    tests = [(name, test) for name, test in {**globals(), **vars(playing), **vars(controls)}.items() if name.startswith("test_")]
    tests = [(name, test) for name, test in tests if not wanted or any(part in name for part in wanted)]
    failed = 0
    browser = Browser(*paths)
    try:
        for name, test in tests:
            try:
                browser.resize(1200, 900)
                browser.call("Page.navigate", url="about:blank")
                browser.open(URL)
                # Settings and errors of the test before are forgotten.
                browser.run("localStorage.clear(); document.body.dataset.ready = ''")
                browser.errors()
                browser.open(URL)
                test(browser)
                errors = browser.errors()
                assert errors == [], f"errors of the page: {errors}"
                print(f"ok      {name}", flush=True)
            except Exception:  # pylint: disable=broad-except
                failed += 1
                picture(browser, f"failed-{name}")
                print(f"FAILED  {name}\n{traceback.format_exc()}", flush=True)
    finally:
        browser.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
