"""A component that does what its script says, byte by byte (HOST.md), as flow.mjs does: no SDK, only the standard library."""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time

SCRIPT = None

EVIDENCE, NAME, LEAN = SCRIPT["evidence"], SCRIPT["name"], SCRIPT.get("lean", False)
PATIENCE = SCRIPT["patienceMs"] / 1000
LOGGED_BYTES = 65_536
POLL = 0.005
LOG = os.open(f"{EVIDENCE}/{NAME}.ndjson", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


# Evidence --------------------------------------------------------------------------------------------------------------


def log(**entry):
    os.write(LOG, (json.dumps({"pid": os.getpid(), **entry}) + "\n").encode("utf-8"))


def born(pid):
    """When a process was started, in the system's own ticks; with its id it names one process for ever."""
    try:
        with open(f"/proc/{pid}/stat", encoding="latin-1") as file:
            stat = file.read()
        return stat[stat.rindex(")") + 2 :].split(" ")[19]
    except OSError:
        return None


class Stuck(Exception):
    pass


# Frames from the host --------------------------------------------------------------------------------------------------

BOUND = {}
COUNTS = {"in": 0, "out": 0}
NEWS = threading.Condition()
STATE = {"cancelled": False, "ended": False, "deaf": False}


def receive(line):
    COUNTS["in"] += 1
    try:
        frame = json.loads(line.decode("utf-8"))
    except ValueError:
        frame = None
    members = frame if isinstance(frame, dict) else {}
    method = members.get("method")
    if not LEAN or method is not None:
        if len(line) <= LOGGED_BYTES:
            log(t="in", b64=base64.b64encode(line).decode("ascii"))
        else:
            log(t="in", bytes=len(line), id=members.get("id"), method=method)
    if method == "flow/run":
        BOUND["root"] = frame
    elif method == "request/cancel":
        STATE["cancelled"] = True
    elif isinstance(members.get("id"), str):
        BOUND[members["id"]] = frame


def listen():
    rest = bytearray()
    while not STATE["deaf"]:
        try:
            chunk = os.read(0, 65_536)
        except OSError:
            chunk = b""
        first, *more = chunk.split(b"\n")
        rest += first
        with NEWS:
            for piece in more:
                receive(bytes(rest))
                rest = bytearray(piece)
            if not chunk:
                STATE["ended"] = True
                log(t="eof")
            NEWS.notify_all()
        if not chunk:
            return


def until(ready, what):
    with NEWS:
        if not NEWS.wait_for(ready, PATIENCE):
            raise Stuck(what)


# Values ----------------------------------------------------------------------------------------------------------------


def look(path, scope):
    first, *members = path.split(".")
    value = scope["i"] if first == "i" else BOUND.get(first)
    for member in members:
        if isinstance(value, list) and member.isdigit() and int(member) < len(value):
            value = value[int(member)]
        elif isinstance(value, dict) and member in value:
            value = value[member]
        else:
            raise LookupError(f"nothing is bound to {path}")
    return value


def text(parts, scope):
    return "".join(str(value_of(part, scope)) for part in parts)


def members(argument, scope):
    prefix, times, value = argument
    return {f"{prefix}{index}": value_of(value, scope) for index in range(times)}


def nest(argument, scope):
    times, value = argument
    nested = value_of(value, scope)
    for _ in range(times):
        nested = [nested]
    return nested


RULES = {
    "$": look,
    "$text": text,
    "$concat": text,
    "$repeat": lambda argument, scope: value_of(argument[0], scope) * argument[1],
    "$list": lambda argument, scope: [value_of(argument[0], scope) for _ in range(argument[1])],
    "$members": members,
    "$nest": nest,
}


def value_of(value, scope):
    if isinstance(value, list):
        return [value_of(item, scope) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        (rule, argument), = value.items()
        if rule in RULES:
            return RULES[rule](argument, scope)
    return {name: value_of(item, scope) for name, item in value.items()}


# Bytes to the host -----------------------------------------------------------------------------------------------------


def encode(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8")


def frame(value, pad_to=None):
    COUNTS["out"] += 1
    if not LEAN and isinstance(value, dict) and "id" in value:
        log(t="out", id=value["id"], method=value.get("method"))
    content = encode(value)
    if pad_to is not None:
        content = content[:-1] + b" " * (pad_to - len(content)) + content[-1:]
    return content + b"\n"


def message(**given):
    return {"jsonrpc": "2.0", **given}


def request(method, given):
    return frame(message(id=given["id"], method=method, params={name: given[name] for name in given if name != "id"}))


def data(given, scope):
    if isinstance(given, list):
        return b"".join(data(part, scope) for part in given)
    if "hex" in given:
        return bytes.fromhex(given["hex"])
    if "json" in given:
        return encode(value_of(given["json"], scope))
    if "times" in given:
        return data(given["part"], scope) * given["times"]
    return value_of(given["text"], scope).encode("utf-8")


def answering(given):
    log(t="answering")
    return message(id=look("root.id", {}), **given)


def channel(value, scope):
    given = value_of(value, scope)
    return request("channel/" + given.pop("do"), given)


def fail(code, scope, step):
    shape = {"code": code, **({"details": value_of(step["details"], scope)} if "details" in step else {})}
    return frame(answering({"error": {"code": -32000, "message": "As the script says.", "data": shape}}))


def result(output, scope, step):
    value = {"outcome": step.get("outcome", "done"), "output": value_of(output, scope)}
    return frame(answering({"result": value}), step.get("padTo"))


def output(given, scope):
    whole = encode(answering({"result": {"outcome": "done", "output": 0}}))
    return whole[: -len(b"0}}")] + data(given, scope) + b"}}\n"


WRITERS = {
    "send": lambda value, scope, step: frame(message(**value_of(value, scope)), step.get("padTo")),
    "frame": lambda value, scope, step: frame(value_of(value, scope), step.get("padTo")),
    "capability": lambda value, scope, step: request("capability/call", value_of(value, scope)),
    "child": lambda value, scope, step: request("flow/run-child", value_of(value, scope)),
    "channel": lambda value, scope, step: channel(value, scope),
    "cancel": lambda value, scope, step: frame(
        message(method="request/cancel", params={"requestId": value_of(value, scope)})
    ),
    "result": result,
    "fail": fail,
    "answer": lambda value, scope, step: frame(answering(value_of(value, scope)), step.get("padTo")),
    "output": lambda value, scope, step: output(value, scope),
    "write": lambda value, scope, step: data(value, scope),
    "together": lambda steps, scope, step: b"".join(bytes_of(each, scope) for each in steps),
}


def bytes_of(step, scope):
    verb = next(iter(step))
    if verb not in WRITERS:
        raise LookupError(f"{verb} writes nothing")
    return WRITERS[verb](step[verb], scope, step)


def write(content, step):
    chunk = step.get("chunk", len(content))
    view = memoryview(content)
    for start in range(0, len(content), chunk or 1):
        if start > 0 and step.get("pauseMs"):
            time.sleep(step["pauseMs"] / 1000)
        piece = view[start : start + chunk]
        while piece:
            try:
                piece = piece[os.write(1, piece) :]
            except BlockingIOError:
                time.sleep(0.001)
            except OSError as error:
                log(t="write-failed", code=error.strerror)
                return False
    return True


# Steps that do something else ------------------------------------------------------------------------------------------


def await_answers(ids, scope, step):
    ids = value_of(ids, scope)
    for each in ids if isinstance(ids, list) else [ids]:
        until(lambda: each in BOUND, f"the answer to {each}")


def mark(name, scope, step):
    with open(f"{EVIDENCE}/{name}", "w", encoding="utf-8"):
        pass


def await_mark(name, scope, step):
    limit = time.monotonic() + PATIENCE
    while not os.path.exists(f"{EVIDENCE}/{name}"):
        if time.monotonic() > limit:
            raise Stuck(f"the mark {name}")
        time.sleep(POLL)


def view(path, scope, step):
    with open(f"{value_of(path, scope)}/content", encoding="utf-8") as file:
        log(t="note", value=file.read())


def scratch(path, scope, step):
    root = value_of(path, scope)
    empty = not os.listdir(root)
    with open(f"{root}/kept", "w", encoding="utf-8") as file:
        file.write("as written")
    with open(f"{root}/kept", encoding="utf-8") as file:
        log(t="note", value={"empty": empty, "kept": file.read()})


def loop(times, scope, step):
    for i in range(1, times + 1):
        play(step["do"], {**scope, "i": i})


def close_stdout(_, scope, step):
    os.close(1)
    os.open(os.devnull, os.O_WRONLY)


def deaf(_, scope, step):
    STATE["deaf"] = True


def stderr(given, scope, step):
    content = data(given, scope)
    try:
        while content:
            content = content[os.write(2, content) :]
    except OSError as error:
        log(t="write-failed", code=error.strerror)


def flood(given, scope, step):
    piece = frame(message(method="kit/flood", params=["x" * 65_000]))
    sent = 0
    while sent < given["bytes"]:
        if given["to"] == "stderr":
            stderr({"text": "x" * len(piece)}, scope, step)
        elif not write(piece, {}):
            return
        sent += len(piece)


def spawn(given, scope, step):
    process = subprocess.Popen(
        ["/bin/sh", "-c", f'trap "" TERM; exec sleep {given.get("seconds", 30)}'],
        stdin=subprocess.DEVNULL,
        stdout=1 if given.get("holdsStdout") else subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=given.get("apart", False),
    )
    log(t="spawned", of=process.pid, born=born(process.pid))


def hang(_, scope, step):
    while True:
        time.sleep(1)


def die(name, scope, step):
    log(t="end", signal=name)
    os.kill(os.getpid(), getattr(signal, name))
    hang(None, scope, step)


ACTIONS = {
    "root": lambda _, scope, step: until(lambda: "root" in BOUND, "flow/run"),
    "await": await_answers,
    "awaitCancel": lambda _, scope, step: until(lambda: STATE["cancelled"], "request/cancel"),
    "awaitEof": lambda _, scope, step: until(lambda: STATE["ended"], "the end of stdin"),
    "mark": mark,
    "awaitMark": await_mark,
    "pause": lambda ms, scope, step: time.sleep(ms / 1000),
    "note": lambda value, scope, step: log(t="note", value=value_of(value, scope)),
    "view": view,
    "scratch": scratch,
    "loop": loop,
    "ignoreTerm": lambda _, scope, step: signal.signal(signal.SIGTERM, lambda *_: log(t="term")),
    "hang": hang,
    "closeStdout": close_stdout,
    "deaf": deaf,
    "stderr": stderr,
    "flood": flood,
    "spawn": spawn,
    "exit": lambda code, scope, step: end(code),
    "die": die,
}


def play(steps, scope):
    for step in steps:
        verb = next(iter(step))
        if "i" not in scope:
            log(t="step", step=json.dumps(step)[:100])
        if verb in ACTIONS:
            ACTIONS[verb](step[verb], scope, step)
        else:
            write(bytes_of(step, scope), step)


def end(code):
    log(t="end", code=code, **COUNTS)
    os._exit(code)


# A player that everybody has forgotten ends by itself.
timer = threading.Timer(SCRIPT["lifetimeMs"] / 1000, end, (72,))
timer.daemon = True
timer.start()
log(t="start", born=born(os.getpid()), cwd=os.getcwd())
try:
    threading.Thread(target=listen, daemon=True).start()
    play(SCRIPT["steps"], {})
    end(0)
except Stuck as failure:
    log(t="stuck", what=str(failure))
    end(70)
except BaseException as failure:
    log(t="fault", message=f"{type(failure).__name__}: {failure}")
    end(70)
