"""Opens a board as a user does, plays the first move and prints the reply and the seconds: first_move.py ADDRESS."""

import sys
import time

from actions import move, state, wait
from browser import Browser, find


def main():
    browser = Browser(*find())
    try:
        browser.call("Page.navigate", url="about:blank")
        begin = time.monotonic()
        browser.call("Page.navigate", url=sys.argv[1])
        browser.wait_until_ready()
        browser.click("#door-play")
        move(browser, "h2e2")
        made = time.monotonic() - begin
        wait(browser, "isUsersTurn()")
        moves = state(browser, "path().map((node) => node.move)")
        print(f"{moves[0]} played {made:.1f} s after the page was opened, {moves[1]} answered after "
              f"{time.monotonic() - begin:.1f} s")
    finally:
        browser.close()


if __name__ == "__main__":
    main()
