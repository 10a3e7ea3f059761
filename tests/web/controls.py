"""Tests of the record of moves, messages, languages and keys: page.py runs them."""

from actions import CHASE, CHASE_MOVES, GAME, MATCH, analyse_mode, load_text, move, set_fen, state, type_move

NOTICE = "document.getElementById('notice').textContent"
LONG_NAMES = """[Red "Shanghai Team, Grandmaster Hu Ronghua"]
[Black "Guangdong Team, Grandmaster Xu Yinchuan"]

1. h2e2 h9g7 *
"""


def click_move(browser, name):
    browser.run(f"[...document.querySelectorAll('#moves .move')].find((button) => button.textContent === '{name}').click()")
    browser.wait(GAME % f"game.current.move === '{name}'")


def test_the_result_belongs_to_the_main_line(browser):
    browser.fill("#notation", "move")
    load_text(browser, "1. h2e2 h9g7 2. h0g2 (2. b0c2 i9h9) 1-0")
    browser.wait("document.querySelectorAll('#moves .move').length === 5")
    click_move(browser, "b0c2")
    browser.click("#delete")
    browser.wait("document.querySelectorAll('#moves .move').length === 3")
    assert state(browser, "game.result") == "1-0" and browser.text("#moves").strip().endswith("1-0")
    click_move(browser, "h0g2")
    browser.click("#delete")
    browser.wait("document.querySelectorAll('#moves .move').length === 2")
    assert state(browser, "game.result") == "*"


def test_the_result_of_a_deleted_variation_goes_with_it(browser):
    browser.fill("#notation", "move")
    load_text(browser, "1. h2e2 h9g7 2. h0g2 i9h9 1-0")
    browser.wait("document.querySelectorAll('#moves .move').length === 4")
    click_move(browser, "h9g7")
    browser.fill("#level", "1")
    browser.run("document.getElementById('use-book').checked = false")
    browser.click("#from-here")
    move(browser, "b0c2")
    browser.wait(GAME % "game.state.moves.length === 4")
    browser.click("#resign")
    browser.wait(GAME % "game.ending === 'resigned_red'")
    browser.click("#mode-analyse")
    click_move(browser, "b0c2")
    browser.click("#delete")
    browser.wait("document.querySelectorAll('#moves .move').length === 4")
    assert state(browser, "[game.result, game.ending]") == ["*", None]


def test_editing_without_a_change_keeps_the_game(browser):
    load_text(browser, "1. h2e2 h9g7 2. h0g2 1-0")
    browser.wait("document.querySelectorAll('#moves .move').length === 3")
    browser.click("#next")
    browser.wait(GAME % "game.state.moves.length === 1")
    browser.click("#edit")
    browser.wait("document.getElementById('palette') !== null")
    browser.click("#edit")
    browser.wait("document.getElementById('palette') === null")
    browser.click("#edit")
    browser.click("#mode-analyse")
    browser.wait("!document.getElementById('analysis-panel').hidden")
    assert browser.run("document.querySelectorAll('#moves .move').length") == 3
    assert state(browser, "game.state.moves.length") == 1 and state(browser, "game.result") == "1-0"
    # Another side to move is a change.
    browser.click("#edit")
    browser.click("#edit-side")
    browser.click("#edit")
    browser.wait(GAME % "game.state.moves.length === 0 && game.state.side === 'red'")


def test_a_comment_stays_with_its_move(browser):
    browser.fill("#level", "20")
    browser.run("document.getElementById('use-book').checked = false")
    browser.fill("#time", "3000")
    browser.click("#new-game .main")
    browser.wait(MATCH % "match.side !== null")
    type_move(browser, "h2e2")
    browser.run("document.getElementById('comment').focus()")
    browser.call("Input.insertText", text="my move was")
    browser.wait(GAME % "game.state.moves.length === 2")
    browser.call("Input.insertText", text=" good")
    comments = "[game.root.children[0].comment, game.root.children[0].children[0].comment]"
    assert state(browser, comments) == ["my move was good", ""], state(browser, comments)
    browser.run("document.getElementById('comment').blur()")
    assert browser.run("document.getElementById('comment').value") == "", "the field shows the comment of the current move"
    assert "my move was good" in browser.text("#moves")
    # A comment that is begun in a game that was replaced belongs to the new one.
    browser.run("document.getElementById('comment').focus()")
    load_text(browser, "1. c3c4 *")
    browser.wait(GAME % "game.root.children[0]?.move === 'c3c4' && game.state.moves.length === 0")
    browser.call("Input.insertText", text="start")
    assert state(browser, "game.root.comment") == "start"


def test_a_closed_connection_is_named(browser):
    browser.click("#new-game .main")
    browser.wait(MATCH % "match.side !== null")
    browser.run("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    browser.wait(f"{NOTICE}.startsWith('The connection to chuhe is closed')")
    browser.fill("#move-text", "h2e2")
    browser.click("#move-form button")
    for control in ("#new-game .main", "#set-fen", "#hint", "#save-pgn", "#load"):
        browser.run("document.getElementById('notice').textContent = ''")
        browser.click(control)
        if control != "#hint":
            browser.wait(f"{NOTICE}.startsWith('The connection to chuhe is closed')")
    browser.wait("document.getElementById('state').textContent.includes('The connection to chuhe is closed')")
    browser.click("#language")
    browser.click("#new-game .main")
    browser.wait(f"{NOTICE}.startsWith('与 chuhe 的连接已断开')")
    assert browser.errors() == []


def test_old_errors_disappear(browser):
    def cause_error():
        browser.fill("#move-text", "N2+4")
        browser.click("#move-form button")
        browser.wait("!document.getElementById('notice').hidden")

    cause_error()
    move(browser, "h2e2")
    browser.wait("document.getElementById('notice').hidden")
    cause_error()
    browser.click("#new-game .main")
    browser.wait("document.getElementById('notice').hidden")


def test_the_number_of_lines_leaves_a_report_running(browser):
    load_text(browser, "1. h2e2 h9g7 2. h0g2 i9h9 *")
    browser.wait("document.querySelectorAll('#moves .move').length === 4")
    analyse_mode(browser)
    browser.fill("#report-time", "300")
    browser.click("#report")
    browser.fill("#line-count", "5")
    browser.wait("document.getElementById('accuracy').textContent.includes('%')")


def test_a_report_ends_when_another_game_is_loaded(browser):
    load_text(browser, "1. h2e2 h9g7 2. h0g2 i9h9 *")
    browser.wait("document.querySelectorAll('#moves .move').length === 4")
    analyse_mode(browser)
    browser.fill("#report-time", "300")
    browser.click("#report")
    browser.wait("document.getElementById('report-progress').value > 0")
    load_text(browser, "1. c3c4 g6g5 *")
    browser.wait("document.querySelectorAll('#moves .move').length === 2")
    browser.wait("document.getElementById('report-progress').hidden")
    assert browser.text("#accuracy") == "" and state(browser, "game.root.score ?? null") is None


def test_other_rules_judge_the_position_on_the_board(browser):
    set_fen(browser, CHASE)
    for name in CHASE_MOVES:
        move(browser, name)
    assert "Black wins" in browser.text("#state")
    browser.fill("#rules", "simple")
    browser.wait("!document.getElementById('state').textContent.includes('Black wins')")
    assert state(browser, "game.state.moves.length") == 8
    browser.fill("#rules", "computer")
    browser.wait("document.getElementById('state').textContent.includes('Black wins')")


def test_all_texts_change_with_the_language(browser):
    set_fen(browser, "3k5/9/9/9/9/9/9/9/9/4K3R w")
    type_move(browser, "i0i1")
    analyse_mode(browser)
    browser.wait("document.querySelector('#tables div').textContent.includes('plies')")
    browser.fill("#report-time", "100")
    browser.click("#report")
    browser.wait("document.getElementById('accuracy').textContent.startsWith('Accuracy: ')")
    browser.click("#language")
    browser.wait("!document.querySelector('#tables div').textContent.includes('plies')")
    assert browser.text("#accuracy").startswith("准确率: 红方"), browser.text("#accuracy")
    browser.click("#language")
    assert browser.text("#accuracy").startswith("Accuracy: Red"), browser.text("#accuracy")
    browser.click("#mode-play")
    browser.click("#hint")
    browser.wait("document.getElementById('state').textContent.includes('Hint: ')")
    browser.click("#language")
    assert "提示: " in browser.text("#state"), browser.text("#state")
    browser.click("#language")
    browser.click("#edit")
    assert browser.text("#edit-side") == "Other side to move (Black)"
    browser.click("#language")
    assert browser.text("#edit-side") == "换先手 (黑方)", browser.text("#edit-side")
    assert browser.run("document.querySelector('#palette button').getAttribute('aria-label')") == "红方帅"


def test_long_names_fit_a_phone(browser):
    browser.resize(360, 740, is_phone=True)
    browser.wait("innerWidth === 360")
    load_text(browser, LONG_NAMES + "\n" + LONG_NAMES)
    browser.run("document.getElementById('files').open = true")
    browser.wait("!document.getElementById('games-label').hidden")
    assert browser.run("document.documentElement.scrollWidth") <= 360


def test_arrow_keys_step_after_the_mouse(browser):
    move(browser, "h2e2")
    browser.press("ArrowLeft")
    browser.wait(GAME % "game.state.moves.length === 0")
    assert not browser.run("'keys' in document.querySelector('#board svg').dataset"), "no cursor"
    browser.press("ArrowRight")
    browser.wait(GAME % "game.state.moves.length === 1")
    # The other keys of the board show its cursor, which all four arrows move then.
    browser.press("ArrowUp")
    browser.press("ArrowLeft")
    assert browser.text("#live").startswith("d3"), browser.text("#live")
    assert state(browser, "game.state.moves.length") == 1
