"""A headless Chromium, driven through its DevTools protocol with the standard library of Python alone."""

import base64
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from urllib.parse import urlparse

# Time after which a browser without an answer counts as hanging.
TIMEOUT = 60
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")


def find():
    """Returns the path of a browser, that in CHUHE_BROWSER first; None if there is none."""
    named = os.environ.get("CHUHE_BROWSER")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


class WebSocket:
    """A client of a WebSocket without TLS."""

    def __init__(self, url):
        parts = urlparse(url)
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=TIMEOUT)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self.buffer = b""
        while b"\r\n\r\n" not in self.buffer:
            self.buffer += self.socket.recv(4096)
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        if b" 101 " not in head.split(b"\r\n")[0]:
            raise OSError(f"no WebSocket: {head[:100]!r}")

    def take(self, count):
        while len(self.buffer) < count:
            chunk = self.socket.recv(1 << 16)
            if not chunk:
                raise OSError("the browser is gone")
            self.buffer += chunk
        taken, self.buffer = self.buffer[:count], self.buffer[count:]
        return taken

    def send(self, text):
        data = text.encode()
        mask = os.urandom(4)
        if len(data) < 126:
            head = struct.pack("!BB", 0x81, 0x80 | len(data))
        elif len(data) < 1 << 16:
            head = struct.pack("!BBH", 0x81, 0x80 | 126, len(data))
        else:
            head = struct.pack("!BBQ", 0x81, 0x80 | 127, len(data))
        masked = bytes(byte ^ mask[index % 4] for index, byte in enumerate(data))
        self.socket.sendall(head + mask + masked)

    def receive(self):
        text = b""
        while True:
            first, second = self.take(2)
            length = second & 127
            if length == 126:
                length = struct.unpack("!H", self.take(2))[0]
            elif length == 127:
                length = struct.unpack("!Q", self.take(8))[0]
            data = self.take(length)
            if first & 15 in (0, 1, 2):
                text += data
                if first & 128:
                    return text.decode()
            elif first & 15 == 8:
                raise OSError("the browser closed the connection")


class Browser:
    """A browser with one page."""

    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="chuhe-browser-")
        arguments = [
            path, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
            "--disable-background-networking", "--disable-dev-shm-usage", "--remote-debugging-port=0",
            f"--user-data-dir={self.folder}", "--lang=en", "about:blank"]
        self.process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        try:
            self.page = WebSocket(self.address())
        except BaseException:
            self.close()
            raise
        self.last_id = 0
        self.errors = []
        for domain in ("Page", "Runtime", "Log"):
            self.call(f"{domain}.enable")

    def address(self):
        """Returns the address of the page, when the browser has started."""
        file = Path(self.folder, "DevToolsActivePort")
        deadline = time.monotonic() + TIMEOUT
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise OSError(f"the browser ended with status {self.process.returncode}")
            try:
                port = int(file.read_text().split()[0])
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/json/list", timeout=TIMEOUT) as answer:
                    pages = [target for target in json.load(answer) if target["type"] == "page"]
                    return pages[0]["webSocketDebuggerUrl"]
            except (OSError, IndexError, ValueError):
                time.sleep(0.05)
        raise OSError("the browser does not start")

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def call(self, method, **parameters):
        """Calls a method of the protocol and returns its result. Errors of the page are collected meanwhile."""
        self.last_id += 1
        self.page.send(json.dumps({"id": self.last_id, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.page.receive())
            if message.get("id") == self.last_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            self.note(message)

    def note(self, message):
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            entry = message["params"]["entry"]
            self.errors.append(f"{entry['text']} {entry.get('url', '')}")

    def run(self, script):
        """Runs JavaScript in the page and returns its value, that of a promise when it is kept."""
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(f"{script}: {details.get('exception', {}).get('description', details['text'])}")
        return result["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.wait("location.href !== 'about:blank' && document.body && document.body.dataset.ready === 'true'")

    def wait(self, condition):
        """Waits until a condition in JavaScript holds."""
        deadline = time.monotonic() + TIMEOUT
        while not self.run(condition):
            if time.monotonic() > deadline:
                state = self.run("document.getElementById('state')?.textContent + ' | ' + "
                                 "document.getElementById('notice')?.textContent")
                raise AssertionError(f"{condition} does not hold; the page says: {state}; errors: {self.errors}")
            time.sleep(0.05)

    def click(self, selector):
        self.run(f"document.querySelector({json.dumps(selector)}).click()")

    def text(self, selector):
        return self.run(f"document.querySelector({json.dumps(selector)}).textContent")

    def fill(self, selector, value):
        """Sets a field as a user would."""
        self.run(f"""(() => {{
            const field = document.querySelector({json.dumps(selector)});
            field.value = {json.dumps(value)};
            field.dispatchEvent(new Event('input', {{ bubbles: true }}));
            field.dispatchEvent(new Event('change', {{ bubbles: true }}));
        }})()""")

    def press(self, key, text=""):
        """Presses a key."""
        codes = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40,
                 "Home": 36, "End": 35}
        code = codes.get(key, ord(key.upper()[0]))
        text = "\r" if key == "Enter" else text
        kind = "keyDown" if text else "rawKeyDown"
        self.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, code=key, windowsVirtualKeyCode=code)

    def mouse(self, kind, x, y):
        buttons = 0 if kind == "mouseReleased" else 1
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", buttons=buttons, clickCount=1)

    def resize(self, width, height, is_phone=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=is_phone)

    def screenshot(self, path):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        Path(path).write_bytes(base64.b64decode(data))
