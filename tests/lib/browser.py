"""One browser for many questions about pages: chromium, told what to do over a pipe, as its DevTools protocol has it."""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile

ARGV = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--remote-debugging-pipe", "about:blank"]


def is_installed():
    return shutil.which("chromium") is not None


class Browser:
    """with Browser() as b: b.open(page); b.size(400); b.js("1 + 1") == 2."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        ours, theirs = os.pipe(), os.pipe()  # to it, from it: it reads 3 and writes 4
        self.process = subprocess.Popen(["sh", "-c", f"exec 3<&{ours[0]} 4>&{theirs[1]}; exec \"$@\"", "sh", *ARGV,
                                         f"--user-data-dir={self.folder.name}"], pass_fds=(ours[0], theirs[1]),
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder.name)
        os.close(ours[0])
        os.close(theirs[1])
        self.out, self.into = os.fdopen(ours[1], "wb"), os.fdopen(theirs[0], "rb")
        self.number, self.session, self.waiting, self.said = 0, None, b"", []
        target = next(t for t in self.ask("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self.ask("Page.enable")
        self.ask("Runtime.enable")
        self.ask("Log.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.out.close()
        self.into.close()
        self.folder.cleanup()

    def receive(self):
        while b"\0" not in self.waiting:
            piece = os.read(self.into.fileno(), 1 << 20)
            if not piece:
                raise OSError("the browser ended")
            self.waiting += piece
        message, self.waiting = self.waiting.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.said.append(json.dumps(message["params"])[:300])
        return message

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        self.out.write(json.dumps(message).encode() + b"\0")
        self.out.flush()
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise ValueError(f"{method}: {answer['error']}")
                return answer["result"]

    def open(self, page, hash_part=""):
        self.said.clear()
        self.ask("Page.navigate", url=page.resolve().as_uri() + hash_part)
        while self.receive().get("method") != "Page.loadEventFired":
            pass

    def look(self, page, hash_part="", until="true"):
        """Opens a page: the document once the expression holds, or after two seconds; and what the browser said."""
        self.open(page, hash_part)
        dom = self.js("new Promise((done) => { const began = Date.now(); const wait = () => "
                      f"({until}) || Date.now() - began > 2000 ? done(document.documentElement.outerHTML) : setTimeout(wait, 5); wait(); }})")
        return dom, self.said[:]

    def size(self, width, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def js(self, expression):
        """The value of an expression, or of what it promises. The page's policy does not hold for it."""
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True, userGesture=True)
        if "exceptionDetails" in answer:
            raise ValueError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    def pdf(self):
        return base64.b64decode(self.ask("Page.printToPDF", preferCSSPageSize=True, printBackground=True)["data"])

    def shot(self):
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"])


def count_pages(pdf):
    return len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
