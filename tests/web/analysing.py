"""Tests of analysis, files, the editor and sharing: page.py runs them."""

import json
import os
import tempfile
import time

from actions import (CHASE, CHASE_MOVES, GAME, click_square, engine, load_game, load_text, move, open_view, paste, state, wait)

# Clicks on lines that change.
CLICKS = int(os.environ.get("CHUHE_CLICKS", 30))


def test_lines_of_the_engine(browser):
    open_view(browser, "analyse")
    wait(browser, "analysis.lines.every((line) => line !== null)")
    browser.wait("document.querySelectorAll('.board .arrow').length === 3")
    assert "depth" in browser.text("#engine-state")
    browser.click("#engine")
    wait(browser, "analysis.lines.every((line) => line === null)")
    assert browser.run("document.querySelectorAll('.line').length") == 3, "rows stay"


def test_no_click_on_a_line_is_lost(browser):
    open_view(browser, "analyse")
    wait(browser, "analysis.lines.every((line) => line !== null)")
    # Lines change many times a second, also between press and release.
    browser.run("""(async () => {
        const { analysis } = await import('./analysis.js');
        const { redraw } = await import('./view.js');
        const { game, newGame } = await import('./game.js');
        const { lines } = analysis;
        window.churn = setInterval(() => {
            if (game.current.parent) return;
            analysis.lines = [...analysis.lines.slice(1), analysis.lines[0]];
            redraw();
        }, 40);
        document.querySelector('.pv button').focus();
        window.focused = document.activeElement;
        const until = async (test) => {
            const end = Date.now() + 5000;
            while (!test() && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 5));
            return test();
        };
        window.wasPlayed = () => until(() => game.state.moves.length > 0);
        window.middleOfLine = async (row) => {
            // The lines come back before the engine has found them again.
            if (game.state.moves.length) await newGame(null);
            analysis.lines = lines;
            redraw();
            await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
            const box = document.querySelectorAll('.line')[row].querySelector('.pv button').getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        };
    })()""")
    lost = 0
    for count in range(CLICKS):
        x, y = browser.run(f"middleOfLine({count % 3})")
        browser.mouse("mousePressed", x, y)
        browser.mouse("mouseReleased", x, y)
        lost += not browser.run("wasPlayed()")
        if count == 0:
            assert browser.run("document.activeElement.closest('.pv') !== null && document.contains(window.focused)"), "focus is kept"
    browser.run("clearInterval(window.churn)")
    assert lost == 0, f"{lost} of {CLICKS} clicks were lost"


def test_nothing_jumps_while_stepping_with_the_engine_on(browser):
    moves = GAME.replace(" *", "")
    load_game(browser, moves, 16)
    # The moves of a report and the lines of the engine come and go.
    browser.run("""(() => {
        window.shift = 0;
        new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.shift += entry.value;
        }).observe({ type: 'layout-shift', buffered: false });
    })()""")
    engine(browser, True)
    for key in ("ArrowRight", "ArrowLeft", "ArrowRight"):
        for _ in range(16):
            browser.press(key)
            time.sleep(0.05)
    shift = browser.run("window.shift")
    print(f"        layout shift over 48 steps: {shift:.4f}")
    assert shift <= 0.02, shift


def test_a_line_is_seen_on_a_small_board_and_played(browser):
    open_view(browser, "analyse")
    wait(browser, "(analysis.lines[0]?.moves.length ?? 0) > 2")
    x, y = browser.run("""(() => { const box = document.querySelectorAll('.pv button')[2].getBoundingClientRect();
        return [box.x + 5, box.y + 5]; })()""")
    browser.mouse("mouseMoved", x, y, pressed=False)
    browser.wait("document.getElementById('hover-board') !== null")
    browser.mouse("mousePressed", x, y)
    browser.mouse("mouseReleased", x, y)
    wait(browser, "game.state.moves.length === 3")


def test_a_report_marks_mistakes(browser):
    load_game(browser, "1. h2e2 h9g7 2. e2e6 a9a8 *", 4)
    browser.click("#report")
    browser.wait("document.getElementById('accuracy').textContent.includes('%')")
    assert browser.run("document.querySelectorAll('.moves .mark').length") > 0
    assert state(browser, "game.root.children[0].score !== null")
    browser.run("[...document.querySelectorAll('.moves .mark')].at(-1).closest('button').click()")
    browser.wait("document.querySelector('.reason') !== null")
    assert "Better was" in browser.text(".reason")


def test_a_report_ends_when_another_game_is_loaded(browser):
    load_game(browser, GAME, 16)
    browser.click("#report")
    wait(browser, "analysis.report?.done > 0")
    load_game(browser, "1. c3c4 g6g5 *", 2)
    wait(browser, "analysis.report === null && analysis.accuracy === null")


def test_book_and_tables(browser):
    open_view(browser, "analyse")
    browser.click("#tab-book")
    browser.wait("document.querySelectorAll('#book tbody tr').length > 3")
    browser.click("#book tbody button")
    wait(browser, "game.state.moves.length === 1")
    paste(browser, "3k5/9/9/9/9/9/9/9/9/4K3R w")
    browser.wait("document.getElementById('book').textContent.includes('Win')")


def test_variations_comments_and_files(browser):
    load_game(browser, "1. h2e2 h9g7 2. h0g2 (2. b0c2 i9h9) 1-0", 5)
    browser.wait("document.querySelectorAll('.variation .move').length === 2")
    browser.click("#moves [data-ply='1']")
    wait(browser, "game.current.move === 'h2e2'")
    browser.fill("#comment", "central cannon, 中炮")
    browser.wait("document.getElementById('moves').textContent.includes('中炮')")
    before = state(browser, "(await import('./game.js')).toObject()")
    for name in ("pgn", "xqf"):
        data = browser.run(f"""(async () => {{
            const {{ ask }} = await import('./engine.js');
            const {{ toObject }} = await import('./game.js');
            return (await ask('export', {{ game: toObject(), format: '{name}', notation: 'chinese' }})).data;
        }})()""")
        state(browser, f"await (await import('./files.js')).readFile(new File([Uint8Array.from(atob('{data}'), (letter) => letter.charCodeAt(0))], 'game.{name}'))")
        after = state(browser, "(await import('./game.js')).toObject()")
        assert [node["move"] for node in after["nodes"]] == [node["move"] for node in before["nodes"]], name
        assert [node["comment"] for node in after["nodes"]] == [node["comment"] for node in before["nodes"]], name
    # The variation becomes the main line; deleting it takes the result along.
    browser.click(".variation .move")
    wait(browser, "game.current.move === 'b0c2'")
    browser.click("#promote")
    assert state(browser, "game.root.children[0].children[0].children[0].move") == "b0c2"
    browser.click("#delete")
    wait(browser, "game.current.move === 'h9g7' && game.result === '*'")


def test_a_file_is_opened_and_its_games_chosen(browser):
    two = '[Red "First"]\n\n1. h2e2 h9g7 *\n\n[Red "Second"]\n\n1. c3c4 *\n'
    with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
        file.write(two)
        file.flush()
        browser.click("#door-review")
        browser.choose_file("#file", file.name)
        browser.wait("document.querySelectorAll('#collection option').length === 2")
    browser.fill("#collection", "1")
    wait(browser, "game.root.children[0]?.move === 'c3c4'")


def test_paste_anywhere(browser):
    for text, condition in (("炮二平五 马８进７", "game.root.children[0]?.move === 'h2e2'"),
                            ("3k5/9/9/9/9/9/9/9/9/4K3R w", "game.state.fen.startsWith('3k5')"),
                            ("[DhtmlXQ][DhtmlXQ_movelist]7747[/DhtmlXQ_movelist][/DhtmlXQ]", "game.root.children[0]?.move === 'h2e2'")):
        paste(browser, text)
        wait(browser, f"page.view === 'analyse' && {condition}")
    paste(browser, "no game at all")
    browser.wait("document.querySelector('.toast.error') !== null")
    assert state(browser, "game.root.children[0]?.move") == "h2e2", "the game stays"


def test_an_illegal_move_shows_the_game_up_to_it(browser):
    load_text(browser, "1. h2e2 h9g7 2. e2e9 *")
    wait(browser, "page.view === 'analyse' && game.root.children[0]?.children[0]?.move === 'h9g7'")
    assert "e2e9" in browser.text("#toast")


def test_a_link_opens_a_position(browser):
    browser.call("Page.navigate", url="about:blank")
    browser.open(f"{browser.url}#fen=3k5/9/9/9/9/9/9/9/9/4K3R_w")
    wait(browser, "page.view === 'analyse' && game.state.fen.startsWith('3k5')")
    # And the page makes such links.
    link = state(browser, "(await import('./files.js')).linkToPosition()")
    assert "#fen=3k5/9/9/9/9/9/9/9/9/4K3R_w" in link


def test_a_reload_and_the_history_find_the_game_again(browser):
    def back(steps, condition):
        browser.run(f"history.go({-steps})")
        wait(browser, condition)
    load_game(browser, GAME, 16)
    browser.click("#last")
    wait(browser, "game.state.moves.length === 16")
    # Another tab begins without it.
    with browser.tab(browser.url):
        open_view(browser, "analyse")
        assert state(browser, "game.state.moves.length") == 0
        paste(browser, "1. c3c4 g6g5")
        wait(browser, "game.root.children[0]?.move === 'c3c4'")
        browser.reload()
        wait(browser, "page.view === 'analyse' && game.root.children[0]?.move === 'c3c4'")
    browser.reload()
    wait(browser, "page.view === 'analyse' && game.state.moves.length === 16")
    # A position has an address, and a reload keeps the moves made from there.
    paste(browser, "3k5/9/9/9/9/9/9/9/9/4K3R w")
    wait(browser, "location.hash === '#fen=3k5/9/9/9/9/9/9/9/9/4K3R_w_-_-_0_1'")
    move(browser, "i0i9")
    browser.reload()
    wait(browser, "game.state.fen.startsWith('3k4R/')")
    back(1, "game.state.moves.length === 16 && location.hash === '#analyse'")
    back(-1, "game.state.fen.startsWith('3k4R/')")
    open_view(browser, "games")
    back(2, "page.view === 'analyse' && game.state.moves.length === 16")


def test_sharing(browser):
    open_view(browser, "analyse")
    move(browser, "h2e2")
    browser.run("""Object.defineProperty(navigator, 'clipboard', { configurable: true, value: {
        writeText: async (text) => { window.copied = text; }, write: async () => { window.copied = 'picture'; } } })""")
    for button, part in (("copy-fen", "rnbakabnr/9/1c5c1"), ("copy-link", "#fen=rnbakabnr"), ("copy-moves", "C2.5"),
                         ("copy-ubb", "[DhtmlXQ"), ("copy-picture", "picture")):
        browser.run("window.copied = ''")
        browser.click("#share")
        browser.click(f"#{button}")
        browser.wait(f"window.copied.includes({json.dumps(part)})")
        browser.wait("document.getElementById('toast')?.textContent.includes('Copied')")
        browser.click("#toast-close")
    size = browser.run("(async () => (await (await import('./files.js')).boardImage()).size)()")
    assert size > 20_000, "a picture of the board"


def test_editor(browser):
    load_game(browser, GAME, 16)
    browser.click("#edit")
    browser.wait("document.getElementById('editor') !== null")
    assert browser.run("document.getElementById('moves')") is None, "nothing of the old position stays beside it"
    browser.click("#edit-clear")
    browser.click("#edit-cancel")
    assert state(browser, "(await import('./game.js')).toObject().nodes.length") == 16, "Cancel keeps the game"
    browser.click("#edit")
    browser.click("#edit-clear")
    browser.click("#edit-done")
    browser.wait("document.getElementById('edit-error') !== null")
    for letter, name in (("K", "e0"), ("R", "i0"), ("k", "d9")):
        browser.click(f"#palette [data-letter={letter}]")
        click_square(browser, name)
    browser.click("[name=edit-side][value=red]")
    browser.click("#edit-done")
    wait(browser, "game.state.fen.startsWith('3k5/9/9/9/9/9/9/9/9/4K3R w')")


def test_a_perpetual_chase_is_explained(browser):
    open_view(browser, "analyse")
    state(browser, f"(await import('./files.js')).setFen('{CHASE}')")
    for name in CHASE_MOVES:
        move(browser, name)
    assert "Black wins" in browser.text("#state")
    assert browser.run("document.querySelectorAll('#cycle li').length") == 8
    # Other rules judge the position on the board.
    browser.click("#settings")
    browser.click("[name=rules][value=simple]")
    browser.wait("!document.getElementById('state').textContent.includes('Black wins')")


def test_a_move_is_typed(browser):
    open_view(browser, "analyse")
    for text, expected in (("炮二平五", "h2e2"), ("n8+7", "h9g7"), ("b0c2", "b0c2")):
        browser.fill("#move-text", text)
        browser.run("document.getElementById('move-form').requestSubmit()")
        wait(browser, f"game.current.move === '{expected}'")
    browser.fill("#move-text", "N2+4")
    browser.run("document.getElementById('move-form').requestSubmit()")
    browser.wait("document.querySelector('.toast.error') !== null")
