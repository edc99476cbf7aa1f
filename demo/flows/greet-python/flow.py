"""One greeting over Run/1, with nothing but the standard library.

The loop is strict on purpose: a component that guesses what its host meant can't be trusted with more than a greeting.
"""

import json
import math
import re
import sys

MAX_FRAME = 16_777_216
MAX_SAFE = 2**53 - 1
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}", re.ASCII)
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)


def greet(value):
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(name, str) or not name:
        return failure("INVALID_INPUT", 'The input must be an object with a "name" that is not empty.')
    return {"result": {"outcome": "done", "output": {"greeting": f"Hello, {name}!", "received": value}}}


def failure(code, message):
    return {"error": {"code": -32000, "message": message, "data": {"code": code}}}


# JSON/1 --------------------------------------------------------------------------------------------------------------


def parse(text):
    """A JSON/1 value; ValueError for everything that JSON/1 refuses and Python's reader lets pass."""
    if text.startswith("\ufeff"):
        raise ValueError("byte order mark")
    try:
        value = json.loads(
            text, object_pairs_hook=members, parse_constant=refuse, parse_int=number, parse_float=number
        )
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    check(value)
    return value


def members(pairs):
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("duplicate member")
    return value


def refuse(token):
    raise ValueError(f"{token} is not JSON")


def number(token):
    if len(token) > 128:
        raise ValueError("number token too long")
    value = float(token)
    if not math.isfinite(value) or (value.is_integer() and abs(value) > MAX_SAFE):
        raise ValueError("number out of range")
    return int(value) if value.is_integer() else value


def check(root):
    """Depth 128, 262,144 values, the bounds of strings, names and containers; no lone surrogates."""
    nodes, stack = 0, [(root, 1)]
    while stack:
        value, depth = stack.pop()
        nodes += 1
        if depth > 128 or nodes > 262_144:
            raise ValueError("too deep or too many values")
        if isinstance(value, str) and len(encoded(value)) > 8_388_608:
            raise ValueError("string too long")
        if isinstance(value, (dict, list)):
            if len(value) > 65_536:
                raise ValueError("too many members or items")
            if isinstance(value, dict) and any(len(encoded(name)) > 1_024 for name in value):
                raise ValueError("member name too long")
            stack.extend((item, depth + 1) for item in (value.values() if isinstance(value, dict) else value))


def encoded(text):
    return text.encode("utf-8")  # UnicodeEncodeError, a ValueError, for a lone surrogate


# Run/1 ---------------------------------------------------------------------------------------------------------------


def frame(message):
    text = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8")


def send(message):
    sys.stdout.buffer.write(frame(message) + b"\n")
    sys.stdout.buffer.flush()


def fatal(message, answer=None):
    """A peer that breaks the protocol isn't negotiated with: best-effort answer, then exit by ourselves."""
    if answer is not None:
        send({"id": None, "error": {"code": answer, "message": message}})
    sys.exit(f"greet-python: {message}")


def read_message():
    frame = sys.stdin.buffer.readline(MAX_FRAME + 1)
    if not frame:
        fatal("the host closed stdin before the Run was finished")
    if not frame.endswith(b"\n"):
        fatal("incomplete or oversized frame")
    try:
        text = frame[:-1].decode("utf-8")
    except UnicodeDecodeError:
        fatal("a frame is not UTF-8")
    try:
        return parse(text)
    except ValueError as error:
        fatal(f"a frame is not JSON/1: {error}", answer=-32700)


def is_envelope(message):
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "method" not in message:
        return False
    return (
        message.keys() <= {"jsonrpc", "id", "method", "params"}
        and isinstance(message["method"], str)
        and isinstance(message.get("params", {}), (dict, list))
        and ("id" not in message or is_token(message["id"]))
    )


def is_token(value):
    return isinstance(value, str) and TOKEN.fullmatch(value) is not None


def is_root(params):
    required = {"protocol", "input", "settings", "attachments", "scratch", "deadlineUnixMs"}
    if not isinstance(params, dict) or not required <= params.keys() <= required | {"channels"}:
        return False
    deadline = params["deadlineUnixMs"]
    return (
        params["protocol"] == "run/1"
        and isinstance(params["settings"], dict)
        and is_attachments(params["attachments"])
        and isinstance(params["scratch"], str)
        and params["scratch"] != ""
        and type(deadline) is int
        and deadline >= 0
        and params.get("channels", {}) == {}  # this package declares no channels, so none can be granted
    )


def is_attachments(value):
    return (
        isinstance(value, dict)
        and len(value) <= 256
        and all(len(name) <= 64 and NAME.fullmatch(name) for name in value)
        and all(
            isinstance(root, dict)
            and root.keys() == {"path", "access"}
            and isinstance(root["path"], str)
            and root["path"] != ""
            and root["access"] in ("read", "read-write")
            for root in value.values()
        )
    )


def is_cancellation(message):
    params = message.get("params")
    return isinstance(params, dict) and params.keys() == {"requestId"} and is_token(params["requestId"])


def answer(request_id, value):
    message = {"id": request_id, **greet(value)}
    try:
        # The bounds hold for the whole frame: what fitted in the request may not fit in the answer.
        check(message)
        if len(frame(message)) > MAX_FRAME:
            raise ValueError("too long")
    except ValueError as error:
        message = {"id": request_id, **failure("INVALID_RESULT", f"The greeting does not fit a frame: {error}.")}
    return message


def main():
    used = set()
    while True:
        message = read_message()
        if isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message):
            fatal("a response to a request that was never made")
        if not is_envelope(message):
            fatal("not a JSON-RPC 2.0 message", answer=-32600)
        if "id" not in message:
            if message["method"] == "request/cancel" and not is_cancellation(message):
                fatal("a malformed request/cancel")
            continue  # any other notification, and a cancellation of nothing that is pending here
        if message["id"] in used or len(used) == 65_536:
            fatal("a request id was used twice, or more requests than a channel may carry")
        used.add(message["id"])
        if message["method"] != "flow/run":
            send({"id": message["id"], "error": {"code": -32601, "message": "Method not found"}})
        elif not is_root(message.get("params")):
            send({"id": message["id"], "error": {"code": -32602, "message": "Invalid params"}})
            return
        else:
            send(answer(message["id"], message["params"]["input"]))
            return


try:
    main()
except BrokenPipeError:
    sys.exit("greet-python: the host closed stdout")
