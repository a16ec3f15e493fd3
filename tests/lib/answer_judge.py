"""What is right and wrong about an answer of `gpuwhy ask`, given what a question of the bank asks for.

An answer is a claim if its status is `answered`. A wrong claim is what people would believe: another analysis's, a number
that SQL does not find, an answer to what this capture cannot tell. An answer that is unsure claims nothing.
"""

import math
import re
from dataclasses import dataclass, field

from question_bank import ALWAYS, truth

# Units of an envelope that are the bank's under another name, and what they are of it.
OTHER_UNITS = {"us": ("ns", 1000), "utilisation": ("percent", 1)}
# An answer is a few sentences: one that cites whole tables would have every number by luck.
MOST_VALUES = 60
# An answer led by another analysis may have no findings, and so none that comes first.
RANKS_FINDINGS = ["findings", "overview"]
SCALES = {"ns": 1, "µs": 1e3, "us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "KiB": 2**10,
          "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "B/s": 1, "kB/s": 1e3, "KB/s": 1e3, "MB/s": 1e6, "GB/s": 1e9, "TB/s": 1e12, "%": 1, "": 1}
SHOWN_UNITS = {"ns": {"ns", "µs", "us", "ms", "s", "min"}, "time_ns": {"ns", "µs", "us", "ms", "s", "min"},
               "bytes": {"B", "kB", "KB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB"},
               "bytes_per_s": {"B/s", "kB/s", "KB/s", "MB/s", "GB/s", "TB/s"}, "percent": {"%"}, "ratio": {"", "%"}, "count": {""}, "id": {""}}
SHOWN = re.compile(r"(?<![\w.])(\d[\d,]*(?:\.(\d+))?)\s?(" + "|".join(sorted(map(re.escape, SCALES), key=len, reverse=True)) + r")(?![\w/])")


@dataclass
class Judgement:
    first: bool = False  # the right analysis, or the right refusal, comes first
    among_three: bool = False
    named_three: bool = False  # the same by `analyses` alone: what it would be without the bank's leniency
    recognised: bool = False  # of an unanswerable question: told as such, with what to record
    confident_and_wrong: bool = False
    routed: bool = False  # to the right analysis, so that its numbers must be right
    numbers: bool = True
    reasons: list = field(default_factory=list)
    got: str = ""


def shown_in(text, value, unit):
    """Whether a text has a real number as people see it, rounded at the last digit shown."""
    for digits, decimals, scale in SHOWN.findall(text):
        if scale in SHOWN_UNITS[unit]:
            size = SCALES[scale]
            if abs(float(digits.replace(",", "")) * size - value) <= 0.5000001 * size * 10 ** -len(decimals):
                return True
    return False


def numbers_in(answer, unit):
    found = []
    for value in answer["values"]:
        its_unit, scale = OTHER_UNITS.get(value["unit"], (value["unit"], 1))
        if its_unit == unit and isinstance(value["value"], (int, float)):
            # Microseconds are to the nanosecond.
            found.append(value["value"] if scale == 1 else round(value["value"] * scale))
    return found


def cited(answer, value, unit):
    """Whether an answer has a value: a name anywhere in it, an integer exactly, a real number as it is or as shown."""
    strings = [v["value"] for v in answer["values"] if isinstance(v["value"], str)]
    if value is None:
        return False
    if unit == "name":
        # A sentence may begin with it: "Rank 2 is late".
        spelled = {str(value), str(value)[:1].upper() + str(value)[1:]}
        return any(name in text for text in [answer["text"], *strings] for name in spelled)
    numbers = numbers_in(answer, unit)
    if isinstance(value, int):
        return value in numbers
    return any(math.isclose(n, value, rel_tol=1e-9, abs_tol=1e-12) for n in numbers) or shown_in(answer["text"], value, unit)


def leading_analysis(answer):
    return answer["evidence"][0]["analysis"] if answer["evidence"] else None


def missing_from(entry, envelope):
    """What an answer lacks of what it must say: (reason, what)."""
    answer = envelope["answer"]
    if len(answer["values"]) > MOST_VALUES:
        yield "too many values", f"at most {MOST_VALUES} values, not {len(answer['values'])}"
    for value, unit in truth(entry, envelope.get("window") or ALWAYS):
        if not cited(answer, value, unit):
            yield ("name missing" if unit == "name" else "number missing"), f"{value!r} {unit}"
    found = [f["id"] for f in envelope.get("findings") or [{"id": None}]]
    if "finding" in entry and (found[0] or leading_analysis(answer) in RANKS_FINDINGS):
        if found[0] != entry["finding"]:
            yield "another finding first", f"finding {entry['finding']}, not {found[0]}"


def judge_refusal(entry, answer, result):
    """Of a question that this capture, or no capture, answers."""
    status, kind = answer["status"], entry["kind"]
    if kind == "unanswerable":
        told = status == "cannot_tell" or (status == "out_of_domain" and "flag" not in entry)
        named = entry.get("flag", "") in answer["text"]
        result.first, result.recognised = told, told and named
        if told and not named:
            result.reasons.append(("flag not named", entry["flag"]))
    elif kind == "out_of_domain":
        result.first = status == "out_of_domain"
    else:
        result.first = status != "answered"
    result.confident_and_wrong = status == "answered"
    if not result.first:
        result.reasons.append((f"{status} what it should refuse", "a refusal"))


def judge_claim(entry, envelope, result):
    """Of a question that the capture answers."""
    answer = envelope["answer"]
    status, leading = answer["status"], leading_analysis(answer)
    result.first = status in ("answered", "unsure") and leading in entry["analyses"]
    result.routed = result.first
    lacks = list(missing_from(entry, envelope)) if status == "answered" or result.routed else []
    result.numbers = not lacks
    # Led by what is merely fine among three, an answer that has all the values misleads nobody.
    fine = result.first or (leading in entry.get("among", []) and entry.get("sql"))
    result.confident_and_wrong = status == "answered" and (bool(lacks) or not fine)
    if status not in ("answered", "unsure"):
        result.reasons.append((f"{status} what it could answer", " | ".join(entry["analyses"])))
    elif not result.first:
        result.reasons.append(("another analysis first" if leading else "unsure", " | ".join(entry["analyses"])))
    if result.routed:
        result.reasons += lacks


def judge(entry, envelope):
    answer, result = envelope["answer"], Judgement()
    result.got = f"{answer['status']}, {leading_analysis(answer) or 'no evidence'} (of {', '.join(answer.get('candidates', [])[:3])})"
    if entry["kind"] in ("unanswerable", "out_of_domain") or not entry["analyses"]:
        judge_refusal(entry, answer, result)
    else:
        judge_claim(entry, envelope, result)
    three = set(answer.get("candidates", [])[:3])
    result.named_three = result.first or not three.isdisjoint(entry["analyses"])
    result.among_three = result.named_three or not three.isdisjoint(entry.get("among", []))
    return result
