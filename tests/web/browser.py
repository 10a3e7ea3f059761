"""A headless Chromium, driven by ChromeDriver, the WebDriver server of the Chromium project."""

import base64
import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

# Time after which a browser without an answer counts as hanging.
TIMEOUT = 60
BROWSERS = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser", "chrome")
DRIVERS = ("chromedriver", "chromium-driver", "chromium.chromedriver")


def find():
    """Returns the paths of a browser and its driver, or None. CHUHE_BROWSER and CHUHE_DRIVER name others; "none" as
    the browser means none."""
    if os.environ.get("CHUHE_BROWSER") == "none":
        return None

    def first(variable, names):
        return os.environ.get(variable) or next((path for path in map(shutil.which, names) if path), None)
    browser, driver = first("CHUHE_BROWSER", BROWSERS), first("CHUHE_DRIVER", DRIVERS)
    return (browser, driver) if browser and driver else None


class Browser:
    """A browser with one page. Most methods send commands of the DevTools protocol through the driver."""

    def __init__(self, browser, driver):
        self.folder = tempfile.mkdtemp(prefix="chuhe-browser-")
        self.driver = subprocess.Popen([driver, "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL, text=True)
        self.session = None
        # Proxies of the environment do not know this machine.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            port = next(filter(None, (re.search(r"successfully on port (\d+)", line) for line in self.driver.stdout)))[1]
            self.address = f"http://127.0.0.1:{port}"
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
                         "--disable-background-networking", "--disable-dev-shm-usage",
                         f"--user-data-dir={self.folder}", "--lang=en"]
            options = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                       "goog:chromeOptions": {"binary": browser, "args": arguments}}
            self.session = self.post("/session", {"capabilities": {"alwaysMatch": options}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def post(self, path, content):
        """Sends a command to the driver, or a question without content, and returns its result."""
        data = None if content is None else json.dumps(content).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"})
        try:
            with self.opener.open(request, timeout=2 * TIMEOUT) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{path} {content}: {json.load(error)['value']['message']}") from None

    def close(self):
        if self.session:
            request = urllib.request.Request(f"{self.address}/session/{self.session}", method="DELETE")
            try:
                self.opener.open(request, timeout=TIMEOUT).close()
            except OSError:
                pass
        self.driver.kill()
        self.driver.wait()
        self.driver.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """Calls a method of the DevTools protocol and returns its result."""
        return self.post(f"/session/{self.session}/goog/cdp/execute", {"cmd": method, "params": parameters})

    @contextlib.contextmanager
    def tab(self, url):
        """Opens a page in another tab for a while, and gives the tab before. Afterwards that one is used again."""
        before = self.post(f"/session/{self.session}/window", None)
        new = self.post(f"/session/{self.session}/window/new", {"type": "tab"})["handle"]
        self.switch(new)
        try:
            self.open(url)
            yield before
        finally:
            self.switch(new)
            self.call("Page.close")
            self.switch(before)

    def switch(self, tab):
        """Goes to a tab."""
        self.post(f"/session/{self.session}/window", {"handle": tab})

    def errors(self):
        """Returns the errors of the page since the last call."""
        entries = self.post(f"/session/{self.session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] == "SEVERE"]

    def run(self, script):
        """Runs JavaScript in the page and returns its value, that of a promise when it is kept."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def open(self, url):
        """Opens a page and waits until it can be used."""
        self.call("Page.navigate", url=url)
        self.wait_until_ready()

    def reload(self):
        self.run("document.body.dataset.ready = ''")
        self.call("Page.reload")
        self.wait_until_ready()

    def wait_until_ready(self):
        deadline = time.monotonic() + TIMEOUT
        while not self.run("location.href !== 'about:blank' && document.body?.dataset.ready === 'true'"):
            assert time.monotonic() < deadline, f"the page does not open; errors: {self.errors()}"
            time.sleep(0.01)

    def wait(self, condition):
        """Waits until a condition in JavaScript holds, and the page has been drawn since then."""
        # The page itself looks again and again: a question of the driver costs more than the answer.
        holds = self.run(f"""(async () => {{
            const end = performance.now() + {TIMEOUT * 1000};
            while (!(await ({condition}))) {{
                if (performance.now() > end) return false;
                await new Promise((resolve) => setTimeout(resolve, 10));
            }}
            await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
            return true;
        }})()""")
        if not holds:
            state = self.run("['state', 'toasts'].map((name) => document.getElementById(name)?.textContent).join(' | ')")
            raise AssertionError(f"{condition} does not hold; the page says: {state}; errors: {self.errors()}")

    def click(self, selector):
        """Clicks a control as soon as it is there and can be used."""
        found = f"document.querySelector({json.dumps(selector)})"
        self.wait(f"{found} !== null && !{found}.disabled")
        self.run(f"{found}.click()")

    def text(self, selector):
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null")
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def fill(self, selector, value):
        """Sets a field as a user would."""
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null")
        self.run(f"""(() => {{
            const field = document.querySelector({json.dumps(selector)});
            field.value = {json.dumps(value)};
            field.dispatchEvent(new Event('input', {{ bubbles: true }}));
            field.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})()""")

    def choose_file(self, selector, path):
        """Chooses a file in a file field."""
        session = f"/session/{self.session}"
        self.wait(f"document.querySelector({json.dumps(selector)}) !== null")
        [field] = self.post(f"{session}/element", {"using": "css selector", "value": selector}).values()
        self.post(f"{session}/element/{field}/value", {"text": str(path)})

    def press(self, key, text=""):
        """Presses a key."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
                 "Home": 36, "End": 35}
        code = codes.get(key, ord(key.upper()[0]))
        text = "\r" if key == "Enter" else text
        kind = "keyDown" if text else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y, button="left", pressed=True):
        buttons = 0 if kind == "mouseReleased" or not pressed else 1 if button == "left" else 2
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button if pressed else "none", buttons=buttons, clickCount=1)

    def resize(self, width, height, is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))


if __name__ == "__main__":
    # The exit status says whether there is a browser with a driver.
    print(find() or "no browser with a driver")
    sys.exit(0 if find() else 1)
