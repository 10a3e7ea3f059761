"""Tests of games against the engine: page.py runs them."""

import time

from actions import (GAME, begin_from, begin_game, choose, click_square, load_game, move, open_view, play_move, plies,
                     square, state, wait)

BOARD = "document.querySelector('svg.board').dataset.fen"


def test_the_first_move_begins_a_game_and_is_answered(browser):
    browser.click("#door-play")
    move(browser, "h2e2")
    wait(browser, "match.side === 'red' && game.state.moves.length === 2")
    assert browser.run("document.querySelectorAll('[data-ply]').length") == 2
    assert browser.run(BOARD).split()[1] == "w"


def test_a_game_to_its_end(browser):
    # Two rooks against a king.
    begin_from(browser, "3k5/9/9/9/9/9/9/9/R8/R3K4 w", "toddler")
    find = """(async () => {
        const { start } = await import('./engine.js');
        const { line } = await import('./game.js');
        return new Promise((resolve) => start('go', { ...line(), purpose: 'hint', nodes: 4000 }, (event, message) => {
            if (event === 'finished') resolve(message.best?.move ?? null);
        }));
    })()"""
    for _ in range(20):
        wait(browser, "isUsersTurn() || !isPlaying()")
        if not state(browser, "isPlaying()"):
            break
        move(browser, browser.run(find))
    else:
        raise AssertionError("the game does not end")
    text = browser.text("#state")
    assert text.startswith("Red wins: ") and text.split(": ")[1], text
    assert text.split(" · ")[0][:20] in browser.text("#live"), "the end is announced"
    assert state(browser, "games()[0].result === game.result"), "the end is kept"


def test_analysis_and_reload_keep_game_and_clock(browser):
    begin_game(browser, "elephant", clock="rapid")
    play_move(browser, "h2e2")
    fen, clock = browser.run(BOARD), state(browser, "match.clock.left.black")
    open_view(browser, "analyse")
    assert browser.text("#engine-state") == "The engine is off during a game."
    # A move that is only looked at is none of the game.
    move(browser, "h0g2")
    open_view(browser, "play")
    browser.wait(f"{BOARD} === '{fen}'")
    assert state(browser, "match.side === 'red' && isUsersTurn()")
    browser.reload()
    wait(browser, "match.side === 'red'")
    browser.wait(f"{BOARD} === '{fen}'")
    assert state(browser, "match.opponent.key") == "elephant"
    assert state(browser, "match.clock.left.black") == clock
    assert 540_000 < state(browser, "match.clock.left.red") < 606_000
    play_move(browser, "h0g2")
    assert plies(browser) == 4


def test_a_restarted_server_goes_on(browser):
    begin_game(browser, "crossed", clock="slow")
    play_move(browser, "h2e2")
    browser.server.stop()
    browser.wait("document.getElementById('closed') !== null")
    assert "goes on" in browser.text("#closed")
    left = state(browser, "match.clock.left.red")
    time.sleep(0.5)
    assert state(browser, "match.clock.left.red") == left, "the clock stands still without the program"
    browser.server.start()
    browser.wait("document.getElementById('closed') === null")
    play_move(browser, "h0g2")
    assert plies(browser) == 4


def test_another_tab_takes_the_game_over(browser):
    begin_game(browser, "crossed")
    play_move(browser, "h2e2")
    with browser.tab(browser.url) as first:
        browser.click("#go-on button")
        wait(browser, "isUsersTurn()")
        play_move(browser, "h0g2")
        browser.switch(first)
        browser.wait("document.getElementById('play-panel').textContent.includes('another tab')")
    browser.click("#play-panel .action button")
    wait(browser, "isUsersTurn()")
    assert plies(browser) == 4, "what the other tab has played is there"
    play_move(browser, "b0c2")


def test_each_game_becomes_a_file(browser):
    begin_game(browser, "horse")
    play_move(browser, "h2e2")
    browser.click("#resign")
    browser.click("#yes")
    file = browser.server.games / f"{state(browser, 'match.id')}.pgn"
    deadline = time.monotonic() + 20
    while not (file.exists() and '[Result "0-1"]' in file.read_text()):
        assert time.monotonic() < deadline, sorted(browser.server.games.iterdir())
        time.sleep(0.05)
    text = file.read_text()
    assert '[Red "You"]' in text and '[Black "Chuhe (Horse)"]' in text and "1. " in text, text


def test_new_game_and_resigning_ask_once_and_can_be_undone(browser):
    begin_game(browser, "crossed")
    play_move(browser, "h2e2")
    fen = browser.run(BOARD)
    browser.click("#new-game")
    browser.wait("document.getElementById('question') !== null")
    browser.click("#no")
    browser.wait("document.getElementById('question') === null")
    assert browser.run(BOARD) == fen and state(browser, "isPlaying()")
    browser.click("#new-game")
    browser.click("#yes")
    wait(browser, "match.side === null && game.state.moves.length === 0")
    browser.click("#undo")
    browser.wait(f"{BOARD} === '{fen}'")
    browser.click("#resign")
    browser.click("#yes")
    wait(browser, "game.ending === 'resigned_red'")
    browser.wait("document.getElementById('state').textContent.startsWith('Black wins: Red resigns')")
    assert "You lose" in browser.text("#message")
    browser.click("#undo")
    wait(browser, "isPlaying() && game.result === '*'")
    play_move(browser, "h0g2")


def test_games_are_listed_and_deleted_with_undo(browser):
    begin_game(browser, "horse")
    play_move(browser, "h2e2")
    browser.click("#resign")
    browser.click("#yes")
    open_view(browser, "games")
    text = browser.text(".entry")
    assert "Horse" in text and "You lose" in text and time.strftime("%Y") in text, text
    browser.click(".entry [aria-label=Delete]")
    browser.wait("document.querySelectorAll('.entry').length === 0")
    browser.click("#undo")
    browser.wait("document.querySelectorAll('.entry').length === 1")
    browser.click(".entry button")
    wait(browser, "page.view === 'analyse' && game.result === '0-1'")
    # It ended after its last move, where other moves may be tried.
    resigned = "document.getElementById('state').textContent.startsWith('Black wins: Red resigns')"
    assert not browser.run(resigned)
    browser.press("End")
    browser.wait(resigned)
    move(browser, "h0g2")
    browser.reload()
    wait(browser, "page.view === 'analyse' && game.state.moves.length === 3")
    assert not browser.run(resigned)
    # Without it the game has ended as before.
    browser.click("#delete")
    browser.wait(resigned)
    assert state(browser, "game.result === '0-1' && !isPlaying()")
    # A deleted game does not come back, and one that is too large costs no other.
    begin_game(browser, "crossed")
    play_move(browser, "h2e2")
    kept = browser.run('''(async () => {
        const { games, keep } = await import('./store.js');
        const before = games().length;
        const large = { id: 'large', game: {}, updated: Date.now(), text: 'x'.repeat(12_000_000) };
        return [before, keep(large), keep(large), games().length];
    })()''')
    assert kept == [2, False, False, 2], kept
    open_view(browser, "games")
    browser.click(".entry [aria-label=Delete]")
    browser.wait("document.querySelectorAll('.entry').length === 1")
    browser.reload()
    browser.wait("document.querySelectorAll('.entry').length === 1")


def test_only_what_the_user_opens_is_a_step_of_the_history(browser):
    open_view(browser, "play")
    open_view(browser, "games")
    steps = browser.run("history.length")
    browser.reload()
    wait(browser, "page.view === 'games'")
    for view in ("play", "start"):
        browser.run("history.back()")
        wait(browser, f"page.view === '{view}' && location.hash === '{'#play' if view == 'play' else ''}'")
    assert browser.run("history.length") == steps


def test_take_back_returns_to_the_users_turn(browser):
    begin_game(browser, "crossed", clock="rapid")
    browser.wait("document.getElementById('take-back')?.disabled")
    play_move(browser, "h2e2")
    play_move(browser, "h0g2")
    browser.click("#take-back")
    wait(browser, "game.state.moves.length === 2 && isUsersTurn()")
    browser.click("#take-back")
    wait(browser, "game.state.moves.length === 0 && isUsersTurn()")
    assert state(browser, "(await import('./game.js')).toObject().nodes.length") == 0
    # As Black the first move of the engine stays.
    state(browser, "(await import('./match.js')).beginGame('black')")
    wait(browser, "game.state.moves.length === 1 && isUsersTurn()")
    browser.wait("document.getElementById('take-back')?.disabled")


def test_an_earlier_move_takes_no_moves(browser):
    begin_game(browser, "crossed")
    play_move(browser, "h2e2")
    browser.click("#first")
    wait(browser, "game.state.moves.length === 0")
    click_square(browser, "b2")
    click_square(browser, "e2")
    time.sleep(0.3)
    assert plies(browser) == 0 and state(browser, "match.last !== game.current")
    browser.click("#play-panel .action button")
    wait(browser, "isUsersTurn()")


def test_premove(browser):
    begin_game(browser, "crossed")
    state(browser, "match.pause = 2500")
    move(browser, "h2e2")
    wait(browser, "match.thinking")
    click_square(browser, "h0")
    click_square(browser, "g2")
    assert state(browser, "match.premove") == "h0g2"
    browser.wait("document.querySelectorAll('.premove').length === 2")
    wait(browser, "game.state.moves.length >= 3 && game.state.moves[2].move === 'h0g2'")


def test_clocks_and_countdown(browser):
    begin_game(browser, "crossed", clock="countdown")
    assert browser.text("[data-clock=black]") == "5:00", "only one clock runs"
    browser.run("import('./match.js').then(({ match }) => { match.clock.left.red = 400; })")
    browser.wait("document.querySelector('[data-clock=red]').className.includes('counting')")
    assert state(browser, "isPlaying()"), "the countdown follows the time of the game"
    play_move(browser, "h2e2")
    assert state(browser, "match.clock.countdown") > 25_000, "each move has the whole countdown"
    browser.run("import('./match.js').then(({ match }) => { match.clock.countdown = 300; })")
    wait(browser, "game.ending === 'timeout_red'")
    assert browser.text("#state").startswith("Black wins: Red's time is over")
    assert browser.text("[data-clock=red]") == "0.0"
    # The engine, too, moves within its countdown.
    state(browser, "(await import('./store.js')).set({ opponent: 'chuhe' })")
    state(browser, "(await import('./match.js')).beginGame('red')")
    browser.run("import('./match.js').then(({ match }) => { match.clock.left.black = 1; match.clock.limits.countdown = 2; })")
    play_move(browser, "h2e2")
    assert plies(browser) == 2 and state(browser, "isPlaying()")


def test_clock_arithmetic(browser):
    found = browser.run("""(async () => {
        const { newClock, spend, moved, shownTime, searchLimits } = await import('./clock.js');
        const results = [];
        const increment = newClock('blitz');
        results.push(spend(increment, 'red', 1000), increment.left.red);
        moved(increment, 'red');
        results.push(increment.left.red, spend(increment, 'black', 300_000));
        const limited = newClock('tournament');
        results.push(spend(limited, 'red', 59_000), shownTime(limited, 'red', 'red').time, searchLimits(limited, 'red').time < 1000);
        results.push(spend(limited, 'red', 2000));
        const counting = newClock({ total: 10, increment: 0, move: 0, countdown: 30 });
        results.push(spend(counting, 'red', 15_000), counting.countdown, shownTime(counting, 'red', 'red').isCountdown);
        results.push(searchLimits(counting, 'red').time < 25_000);
        moved(counting, 'red');
        results.push(counting.countdown, spend(counting, 'red', 30_001));
        return results;
    })()""")
    assert found == [False, 299_000, 302_000, True, False, 1000, True, True, False, 25_000, True, True, 30_000, True], found


def test_a_hint_makes_the_game_practice(browser):
    begin_game(browser, "crossed")
    browser.click("#hint")
    browser.wait("document.querySelectorAll('.board .arrow').length === 1")
    assert "practice" in browser.text("#message")
    play_move(browser, "h2e2")
    assert state(browser, "games()[0].practice"), "and stays so"
    open_view(browser, "analyse")


def test_the_engine_in_a_game_makes_it_practice(browser):
    begin_game(browser, "crossed")
    play_move(browser, "h2e2")
    open_view(browser, "analyse")
    assert not state(browser, "match.practice") and state(browser, "analysis.lines.every((line) => line === null)")
    browser.click("#help")
    wait(browser, "analysis.lines[0] !== null")
    assert state(browser, "match.practice")


def test_a_draw_is_declined_early_and_by_the_better_side(browser):
    begin_game(browser, "crossed")
    browser.click("#offer-draw")
    browser.wait("document.getElementById('message').textContent.includes('declined')")
    # Neither side can win, and the game is old enough.
    for fen, accepts in (("3k5/9/9/9/9/p8/P8/9/9/4K4 w - - 0 30", True), ("3k5/9/4r4/9/9/p8/P8/9/9/5K3 w - - 0 30", False)):
        begin_from(browser, fen, "crossed")
        browser.click("#offer-draw")
        wait(browser, "game.ending === 'agreed'" if accepts else "match.message === 'refused'")


def test_the_opponent_adapts(browser):
    begin_game(browser, "horse")
    state(browser, "(await import('./store.js')).set({ adapts: true, streak: -1 })")
    play_move(browser, "h2e2")
    browser.click("#resign")
    browser.click("#yes")
    wait(browser, "settings.opponent === 'elephant'")
    browser.wait("document.getElementById('message').textContent.includes('weaker')")
    browser.click("#undo")
    wait(browser, "isPlaying() && settings.opponent === 'horse' && settings.streak === -1")
    # A reload counts no result again.
    browser.click("#resign")
    browser.click("#yes")
    wait(browser, "settings.opponent === 'elephant' && settings.streak === 0")
    browser.reload()
    wait(browser, "match.side === 'red' && game.result === '0-1'")
    assert state(browser, "settings.opponent === 'elephant' && settings.streak === 0")


def test_the_question_finds_an_opponent(browser):
    open_view(browser, "play")
    choose(browser, "strength", "club")
    browser.wait("document.querySelector('[name=opponent]:checked')?.value === 'elephant'")
    assert browser.run("document.querySelectorAll('[name=opponent]').length") == 12


def test_pieces_are_dragged(browser):
    begin_game(browser, "crossed")
    (x1, y1), (x2, y2) = square(browser, "h2"), square(browser, "e2")
    browser.mouse("mousePressed", x1, y1)
    browser.mouse("mouseMoved", (x1 + x2) / 2, (y1 + y2) / 2)
    # Clocks and lines draw the board at any time.
    browser.run("import('./view.js').then(({ redraw }) => redraw())")
    browser.mouse("mouseMoved", x2, y2)
    browser.wait("document.querySelectorAll('.board .lifted').length === 1")
    browser.mouse("mouseReleased", x2, y2)
    wait(browser, "game.state.moves.length >= 1 && game.state.moves[0].move === 'h2e2'")


def test_the_right_button_draws(browser):
    open_view(browser, "analyse")
    (x1, y1), (x2, y2) = square(browser, "h2"), square(browser, "e2")
    for start, end in (((x1, y1), (x2, y2)), ((x1, y1), (x1, y1))):
        browser.mouse("mousePressed", *start, button="right")
        browser.mouse("mouseMoved", *end, button="right")
        browser.mouse("mouseReleased", *end, button="right")
    browser.wait("document.querySelectorAll('path.drawn').length === 1 && document.querySelectorAll('circle.drawn').length === 1")
    assert plies(browser) == 0
    click_square(browser, "a0")
    browser.wait("document.querySelectorAll('.drawn').length === 0")


def test_play_from_a_position(browser):
    open_view(browser, "analyse")
    move(browser, "h2e2")
    browser.click("#from-here")
    wait(browser, "match.side === 'black' && page.view === 'play' && page.flipped")
    play_move(browser, "h9g7")
    assert plies(browser) == 3
    browser.click("#take-back")
    wait(browser, "game.state.moves.length === 1")
    # The moves before the game stay.
    browser.wait("document.getElementById('take-back')?.disabled")


def test_a_game_played_on_from_stays_whole(browser):
    load_game(browser, GAME, 16)
    browser.run("import('./game.js').then(({ game }) => { globalThis.loaded = game.root; })")
    browser.press("Home")
    wait(browser, "game.state.moves.length === 0")
    move(browser, "h2e2")
    browser.click("#from-here")
    wait(browser, "match.side === 'black' && page.view === 'play'")
    # The move that the other game has here.
    play_move(browser, "h9g7")
    wait(browser, "game.state.moves.length === 3")
    browser.click("#take-back")
    wait(browser, "game.state.moves.length === 1")
    assert browser.run("""(() => {
        let count = 0;
        for (let at = loaded; at.children.length; at = at.children[0]) count += 1;
        return count;
    })()""") == 16
