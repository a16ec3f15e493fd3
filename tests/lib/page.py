"""Is a page well formed, made of nothing but what we make pages of, and what does a browser make of it?"""

import re
from html.parser import HTMLParser

from harness import run

ONE_MEGABYTE = 1_000_000
VOID = {"meta", "br", "hr", "img", "link", "input"}
# All that a page of ours is made of. A name of a trace that became markup would bring another.
TAGS = set("html head meta title style body header h1 h2 h3 nav ol ul li a main p small b code i div dl dt dd "
           "details summary table thead tbody tr th td figure figcaption svg g rect line circle path text article span "
           "footer pre script section foreignobject".split())
ATTRIBUTES = set("lang charset http-equiv open content name class id href title data-v scope tabindex viewbox "
                 "role aria-label aria-hidden aria-sort preserveaspectratio x y x1 y1 x2 y2 cx cy r width height d text-anchor "
                 "transform data-name data-picks data-part data-table data-tables data-from data-to".split())


class Page(HTMLParser):
    """Collects what is wrong with a page."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.wrong, self.scripts = [], set(), [], [], 0
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")
        self.wrong += [f"a link to nowhere: {link}" for link in self.links if link not in self.ids]
        if self.scripts != 1:
            self.wrong.append(f"{self.scripts} scripts")

    def handle_starttag(self, tag, attrs):
        if tag not in TAGS or (tag == "title" and self.open[-1] not in ("head", "rect", "circle", "text")):
            self.wrong.append(f"<{tag}> inside {self.open[-3:]}")
        names = [name for name, _ in attrs]
        for name, value in attrs:
            if name not in ATTRIBUTES or names.count(name) > 1:
                self.wrong.append(f"attribute {name} of <{tag}>")
            if name == "id":
                if value in self.ids:
                    self.wrong.append(f"id {value} comes twice")
                self.ids.add(value)
            if name == "href":
                self.links.append(value.removeprefix("#"))
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if self.open and self.open[-1] == tag:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}> where it closes nothing")


def wrong_page(data):
    """What is wrong with the bytes of a page, None when nothing is."""
    try:
        text = data.decode()
    except UnicodeDecodeError as problem:
        return f"not UTF-8: {problem}"
    if len(data) > ONE_MEGABYTE:
        return f"{len(data)} bytes"
    raw = re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)
    if raw:
        return f"raw control character at {raw.start()}"
    return "; ".join(Page(text).wrong[:3]) or None


def browse(page):
    """What chromium makes of a page: the document in the end, and what its console said."""
    argv = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
            f"--user-data-dir={page}.profile", "--enable-logging=stderr", "--virtual-time-budget=2000", "--window-size=1200,900",
            "--dump-dom", page.as_uri()]
    result = run(argv, timeout=60, cwd=page.parent)
    console = [line for line in result.message.splitlines() if "CONSOLE" in line]
    return result.out.decode("utf-8", "replace"), console


def without_policy(page):
    """The page with leave for a test to add a script of its own."""
    return re.sub(rb'<meta http-equiv="Content-Security-Policy"[^>]*>', b"", page, count=1)
