"""Stands in for nsys where there is none: writes down how it was called, runs the program, and leaves canned reports.
`nsys` starts this, unless it knows the answer itself.

$STANDIN names a folder. `behaviour.json` there says what to do (see tests/lib/standin.py); each call becomes a line of
`calls.jsonl`. A report is a text that names the SQLite file which `export` then makes of it.
"""

import json
import os
import sys
import time

FOLDER = os.environ["STANDIN"]
# Options whose value is the next word, as gpuwhy and its tests use them.
SEPARATE = ("-o", "-y")


def note(**more):
    call = dict(argv=sys.argv, env=dict(os.environ), cwd=os.getcwd(), pid=os.getpid(),
                tty=[os.isatty(fd) for fd in range(3)], **more)
    with open(f"{FOLDER}/calls.jsonl", "a") as f:
        f.write(json.dumps(call) + "\n")


def split(words):
    """The options, and the command behind them."""
    options, at = [], 0
    while at < len(words) and words[at].startswith("-"):
        options.append(words[at])
        if words[at] in SEPARATE:
            at += 1
            options.append(words[at])
        at += 1
    return options, words[at:]


def expand(name):
    """%q{VARIABLE}, %h and %p in the name of a report; %% is %."""
    import re
    values = {"%h": "host", "%p": str(os.getpid()), "%%": "%"}
    return re.sub(r"%q\{(\w+)\}|%[hp%]", lambda m: values.get(m[0]) or os.environ.get(m[1], ""), name)


def run_program(command, does):
    if not does.get("run", True):
        return 0
    import signal
    import subprocess
    # As the real one: a Ctrl-C is the program's; the report is made when that has ended.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if does.get("ignore_term"):
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, signal.SIG_IGN)
    apart = does.get("session", False)
    process = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL), start_new_session=apart)
    for number in (signal.SIGINT, signal.SIGTERM) if apart else ():
        signal.signal(number, lambda n, _: process.send_signal(n))
    if does.get("leave_after"):
        time.sleep(does["leave_after"])
        return 0
    code = process.wait()
    if does.get("die"):
        os.kill(os.getpid(), does["die"])
    if code < 0:
        print(f"The target application terminated with signal {-code} ({signal.Signals(-code).name})", flush=True)
        return 128 - code
    return code


def profile(words, does):
    options, command = split(words)
    note(does="profile", command=command)
    output = expand(options[options.index("-o") + 1])
    if does.get("say_first"):
        print(does["say_first"], file=sys.stderr, flush=True)
    code = run_program(command, does)
    time.sleep(does.get("slow", 0))
    while does.get("hang"):
        time.sleep(1)
    for suffix, trace in does.get("reports", {".nsys-rep": "trace"}).items():
        # As the real one: it knows the program's environment and arguments, and tells them.
        known = json.dumps(dict(env=dict(os.environ), command=command))
        with open(output + suffix, "w") as f:
            f.write(f"report of {does.get(trace, trace)}\n{known}")
        print("Generated:\n\t" + output + suffix, flush=True)
    if does.get("say"):
        print(does["say"], file=sys.stderr, flush=True)
    return does.get("exit", code)


def export(words, does):
    note(does="export")
    output = next(w for w in words if w.startswith("--output=")).removeprefix("--output=")
    time.sleep(does.get("export_slow", 0))
    if does.get("export_say"):
        print(does["export_say"], file=sys.stderr)
        return 1
    import shutil
    with open(words[-1]) as f:
        trace, known = f.read().removeprefix("report of ").split("\n")
    shutil.copyfile(trace, output)
    os.chmod(output, 0o644)
    tell_environment(output, **json.loads(known))
    return 0


def tell_environment(path, env, command):
    """Where nsys 2025.3 has it."""
    import sqlite3
    db = sqlite3.connect(path)
    entries = [f"{k}={v}" for k, v in env.items()]
    names = {name for (name,) in db.execute("SELECT name FROM sqlite_master")}
    if "META_DATA_CAPTURE" in names:
        db.executemany("INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', ?)",
                       [(f'{k}="{v}"',) for k, v in env.items()])
        db.executemany("INSERT INTO META_DATA_CAPTURE VALUES (?, ?)",
                       [(f"PROCESS_0:ARGUMENT_{i}", word) for i, word in enumerate(command[1:])])
    if "TARGET_INFO_SYSTEM_ENV" in names:
        db.execute("INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES (1, 'Local (CLI)', 'DeviceEnvironment', 610, ?)", (";".join(entries),))
    if "StringIds" in names:
        # What nsys takes out again stays in the page.
        db.execute("PRAGMA secure_delete = OFF")
        (last,) = db.execute("SELECT max(id) FROM StringIds").fetchone()
        texts = [*entries, *entries, "\0".join(entries) * 40]
        db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(last + 1 + i, text) for i, text in enumerate(texts)])
        db.execute("DELETE FROM StringIds WHERE id > ?", (last,))
        db.commit()
        db.execute("INSERT INTO StringIds SELECT max(id) + 1, ? FROM StringIds", ("\0".join(entries),))
    db.commit()
    db.close()


def main():
    with open(f"{FOLDER}/behaviour.json") as f:
        does = json.load(f)
    verb, *words = sys.argv[1:]
    if words == ["--help"]:
        note(does="help")
        print("\n\n".join(f"\t--{name}=\n\n\t   Possible values are many." for name in does["knows"][verb]))
        return 0
    return {"profile": profile, "export": export}[verb](words, does)


sys.exit(main())
