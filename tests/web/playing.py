"""Tests of games against the engine: page.py runs them."""

import time

from actions import CHASE, CHASE_MOVES, GAME, MATCH, choose_time, click_square, load_text, move, set_fen, state, type_move

OBJECT = "(await import('./game.js')).toObject()"
USER_IS_TO_MOVE = "(await import('./play.js')).isUsersTurn() && (await import('./play.js')).match.side !== null"
TWO_GAMES = """[Red "First"]

1. h2e2 h9g7 2. h0g2 *

[Red "Second"]

1. c3c4 c6c5 *
"""


def moves(browser):
    """Returns the moves up to the position on the board, as the tree of moves has them and as the program reports."""
    return state(browser, "[(await import('./game.js')).path().map((node) => node.move),"
                 " game.state.moves.map((name) => name.move)]")


def nodes(browser):
    """Returns the moves of all nodes of the game."""
    return [node["move"] for node in state(browser, OBJECT)["nodes"]]


def play_without_book(browser, level, milliseconds=None):
    browser.fill("#level", str(level))
    browser.run("document.getElementById('use-book').checked = false")
    if milliseconds:
        choose_time(browser, str(milliseconds))


def begin_match(browser, level=1, milliseconds=None):
    play_without_book(browser, level, milliseconds)
    browser.click("#new-game .main")
    browser.wait(MATCH % "match.side !== null && (await import('./game.js')).game.state.moves.length === 0")


def test_deleting_the_last_move_ends_the_search(browser):
    begin_match(browser, 20, 1000)
    type_move(browser, "h2e2")
    browser.wait(MATCH % "match.thinking")
    browser.click("#delete")
    browser.wait(GAME % "game.state.moves.length === 0")
    browser.wait(MATCH % "!match.thinking")
    time.sleep(1.5)
    assert moves(browser) == [[], []] and nodes(browser) == [], moves(browser)
    # The user moves again, and the engine replies.
    move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    assert len(nodes(browser)) == 2


def test_choosing_another_game_ends_the_search(browser):
    play_without_book(browser, 20, 1000)
    load_text(browser, TWO_GAMES)
    browser.wait("document.querySelectorAll('#games option').length === 2")
    browser.click("#last")
    browser.wait(GAME % "game.state.moves.length === 3")
    browser.click("#from-here")
    browser.wait(MATCH % "match.thinking")
    browser.fill("#games", "1")
    browser.wait(GAME % "game.root.children[0]?.move === 'c3c4' && game.current === game.root")
    time.sleep(1.5)
    assert moves(browser) == [[], []] and nodes(browser) == ["c3c4", "c6c5"], moves(browser)
    assert browser.run(MATCH % "match.side === null && !match.thinking")


def test_two_clicks_on_new_game_begin_one_game(browser):
    play_without_book(browser, 20, 300)
    browser.fill("#side", "black")
    browser.run("for (let count = 0; count < 2; count += 1) document.querySelector('#new-game .main').click()")
    browser.wait(GAME % "game.state.moves.length === 1")
    assert len(nodes(browser)) == 1


def test_a_deleted_reply_is_replaced(browser):
    begin_match(browser)
    type_move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    browser.run("(async () => { window.firstReply = (await import('./game.js')).game.current; })()")
    browser.click("#delete")
    browser.wait(GAME % "game.state.moves.length === 2 && game.current !== window.firstReply")
    assert len(nodes(browser)) == 2 and state(browser, USER_IS_TO_MOVE)


def test_a_known_move_is_answered(browser):
    begin_match(browser)
    type_move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    browser.click("#first")
    browser.wait(GAME % "game.state.moves.length === 0")
    type_move(browser, "h2e2")
    browser.wait(GAME % f"game.state.moves.length === 2 && {USER_IS_TO_MOVE}")
    # Looking at an earlier move, where the engine would be to move, begins no search.
    browser.click("#previous")
    browser.wait(GAME % "game.state.moves.length === 1")
    browser.click("#promote")
    assert browser.run(MATCH % "!match.thinking")


def test_taking_back_keeps_a_loaded_game(browser):
    line = "h2e2 h9g7 h0g2 i9h9 i0h0 b9c7 g3g4".split()
    numbered = " ".join(f"{ply // 2 + 1}. {name}" if ply % 2 == 0 else name for ply, name in enumerate(line))
    load_text(browser, f'[Event "Cup"]\n[Date "2020.01.01"]\n[Red "A"]\n\n{numbered} 1-0\n')
    browser.wait(GAME % "game.root.children.length === 1")
    browser.click("#next")
    browser.wait(GAME % "game.state.moves.length === 1")
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 0")
    assert nodes(browser) == line and state(browser, "game.result") == "1-0"
    # A game against the engine from the third ply: only its own moves are taken back.
    play_without_book(browser, 1)
    for _ in range(2):
        plies = state(browser, "game.state.moves.length")
        browser.click("#next")
        browser.wait(GAME % f"game.state.moves.length === {plies + 1}")
    browser.click("#from-here")
    assert ["Event", "Cup"] in state(browser, "game.tags") and ["Date", "2020.01.01"] in state(browser, "game.tags")
    assert ["Red", "A"] not in state(browser, "game.tags")
    move(browser, "b0c2")
    browser.wait(GAME % "game.state.moves.length === 4")
    assert len(nodes(browser)) == 9
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 2")
    browser.wait("!document.getElementById('take-back').disabled")
    assert nodes(browser) == line
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 0")
    assert nodes(browser) == line
    # A move that the loaded game has already goes on as well.
    move(browser, "h2e2")
    browser.wait(GAME % f"game.state.moves.length === 2 && {USER_IS_TO_MOVE}")


def test_taking_back_from_an_earlier_move_deletes_nothing(browser):
    begin_match(browser)
    for plies, name in ((2, "h2e2"), (4, "c3c4")):
        type_move(browser, name)
        browser.wait(GAME % f"game.state.moves.length === {plies}")
    before = nodes(browser)
    for plies in (3, 2):
        browser.click("#previous")
        browser.wait(GAME % f"game.state.moves.length === {plies}")
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 0")
    assert nodes(browser) == before and state(browser, USER_IS_TO_MOVE)


def test_taking_back_past_the_start_of_the_match_restores_the_clocks(browser):
    play_without_book(browser, 1, "clock:600000:0")
    load_text(browser, "1. h2e2 h9g7 2. h0g2 i9h9 *")
    browser.wait(GAME % "game.root.children.length === 1")
    browser.click("#last")
    browser.wait(GAME % "game.state.moves.length === 4")
    browser.click("#from-here")
    browser.run(MATCH % "match.clocks.red = 1")
    browser.wait("document.getElementById('state').textContent.startsWith('Black wins')")
    browser.click("#take-back")
    browser.wait(GAME % "game.state.moves.length === 2 && game.result === '*'")
    assert browser.run(MATCH % "match.clocks.red") > 500000 and len(nodes(browser)) == 4


def test_a_wrong_fen_leaves_the_game_running(browser):
    begin_match(browser)
    browser.fill("#fen", "no position")
    browser.click("#set-fen")
    browser.wait("!document.getElementById('notice').hidden")
    assert browser.run(MATCH % "match.side") == "red"
    type_move(browser, "h2e2")
    browser.wait(GAME % "game.state.moves.length === 2")
    set_fen(browser, "3k5/9/9/9/9/p8/P8/9/9/4K4 w")
    assert browser.run(MATCH % "match.side") is None


def test_waiting_for_another_page_costs_no_time(browser):
    begin_match(browser, 20, "clock:1000:0")
    browser.run("""new Promise((resolve) => {
        window.otherPage = new WebSocket(new URL('socket', location.href.replace(/^http/, 'ws')));
        otherPage.onopen = () => otherPage.send(JSON.stringify({ id: 1, do: 'review', moves: ['h2e2', 'h9g7'], time: 60000 }));
        otherPage.onmessage = ({ data }) => (JSON.parse(data).event === 'searching' ? resolve() : null);
    })""")
    browser.run(MATCH % "match.clocks.red = 600000")
    click_square(browser, "h2")
    click_square(browser, "e2")
    browser.wait("document.getElementById('state').textContent.startsWith('waiting')")
    time.sleep(1.5)
    assert browser.run(MATCH % "match.clocks.black") > 500
    assert state(browser, "game.result") == "*"
    browser.run("otherPage.send(JSON.stringify({ id: 2, do: 'stop' }))")
    browser.wait(GAME % "game.state.moves.length === 2")
    assert 0 < browser.run(MATCH % "match.clocks.black") < 1000


def test_other_rules_change_the_result(browser):
    load_text(browser, f"{CHASE}\n")
    browser.wait(GAME % "game.state.fen.startsWith('9/4a4')")
    for name in CHASE_MOVES[:-1]:
        move(browser, name)
    play_without_book(browser, 1)
    browser.click("#from-here")
    move(browser, CHASE_MOVES[-1])
    browser.wait("document.getElementById('state').textContent.startsWith('Black wins')")
    assert state(browser, "game.result") == "0-1"
    browser.fill("#rules", "simple")
    browser.wait("document.getElementById('state').textContent.startsWith('Draw')")
    assert state(browser, "game.result") == "1/2-1/2" and browser.text("#moves").strip().endswith("1/2-1/2")
    # Also if they change while an earlier move is shown.
    browser.click("#previous")
    browser.wait("!document.getElementById('state').textContent.startsWith('Draw')")
    browser.fill("#rules", "computer")
    browser.click("#next")
    browser.wait("document.getElementById('state').textContent.startsWith('Black wins')")
    browser.wait(GAME % "game.result === '0-1'")
