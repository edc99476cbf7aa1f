"""A small Run/1 host, written from the specification alone, to run components under another implementation's eyes.

    python3 host.py --script SCRIPT.json -- COMMAND [ARGUMENT ...]

launches COMMAND, sends it one flow/run, answers its calls as the script says, and prints one JSON line:

    {"status": "succeeded", "outcome": ..., "output": ..., "calls": [...], "exitCode": 0, "stderr": "..."}
    {"status": "failed", "code": ..., "message": ..., "details"?: ..., "calls": [...], "exitCode": ..., "stderr": "..."}

The script is an object; every member is optional:

    input, settings, attachments, scratch    of the root invocation
    deadlineMs       milliseconds from now until the Run is expired (default 20000)
    cancelAfterMs    cancel the root this long after it was sent
    cancelOnCall     cancel the root as soon as the component makes its n-th call (from 1)
    children         {slot: answer or [answer per dispatch, ...]}
    capabilities     {"slot.method": answer or [answer per dispatch, ...]}

An answer is {"result": {outcome, output}} for children, {"value": ...} or {"error": {name, data}} for capabilities, or for
both {"failure": {code, message, details?}}, {"echo": true} (the input comes back), {"hang": true} (until cancelled), each
with an optional "delayMs". A slot that isn't named is UNAVAILABLE. It is a test tool: it contains nothing.
"""

import argparse
import asyncio
import json
import math
import os
import re
import signal
import sys
import tempfile
import time

MAX_FRAME = 16_777_216
MAX_SAFE = 2**53 - 1
MAX_LIVE = 64
MAX_REQUESTS = 65_536
GRACE = 2.0
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}", re.ASCII)
NAME = re.compile(r"(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
WIRE_CODES = frozenset(
    "CANCELLED DEADLINE_EXCEEDED OWNER_CLOSED OPERATION_CONFLICT UNAVAILABLE PERMISSION_DENIED RESOURCE_EXHAUSTED "
    "INVALID_INPUT INVALID_RESULT UNCERTAIN EXECUTION_FAILED LAGGED DISCONNECTED".split()
)
STANDARD_ERRORS = frozenset((-32700, -32600, -32601, -32602, -32603))


class ProtocolError(Exception):
    """The component broke Run/1; `answer` is the best-effort JSON-RPC error code, if one is due."""

    def __init__(self, message, answer=None, request_id=None):
        super().__init__(message)
        self.answer = answer
        self.request_id = request_id


# JSON/1 --------------------------------------------------------------------------------------------------------------


def parse_frame(frame):
    if len(frame) > MAX_FRAME:
        raise ProtocolError("oversized frame")
    try:
        text = frame.decode("utf-8")
    except UnicodeDecodeError:
        raise ProtocolError(f"a frame is not UTF-8: {frame[:40]!r}") from None
    try:
        if text.startswith("\ufeff"):
            raise ValueError("byte order mark")
        value = json.loads(
            text, object_pairs_hook=unique, parse_constant=refuse, parse_int=number, parse_float=number
        )
        check_bounds(value)
    except (ValueError, RecursionError) as error:
        raise ProtocolError(f"a frame is not JSON/1 ({error}): {frame[:40]!r}", answer=-32700) from None
    return value


def unique(pairs):
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


def check_bounds(root):
    nodes, stack = 0, [(root, 1)]
    while stack:
        value, depth = stack.pop()
        nodes += 1
        if depth > 128:
            raise ValueError("nested too deeply")
        if nodes > 262_144:
            raise ValueError("too many values")
        if isinstance(value, str) and len(value.encode("utf-8")) > 8_388_608:
            raise ValueError("string too long")
        if isinstance(value, (dict, list)) and len(value) > 65_536:
            raise ValueError("too many members or items")
        if isinstance(value, dict):
            if any(len(name.encode("utf-8")) > 1_024 for name in value):
                raise ValueError("member name too long")
            stack.extend((item, depth + 1) for item in value.values())
        elif isinstance(value, list):
            stack.extend((item, depth + 1) for item in value)


def canonical(value):
    """Equal text for equal JSON/1 values; enough for operation identity, not RFC 8785."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


# Message shapes ------------------------------------------------------------------------------------------------------


def is_token(value):
    return isinstance(value, str) and TOKEN.fullmatch(value) is not None


def is_name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def is_result(value):
    return isinstance(value, dict) and value.keys() == {"outcome", "output"} and is_name(value["outcome"])


def is_call(method, params):
    if not isinstance(params, dict):
        return False
    required = {"operationId", "slot", "input"}
    optional = {"channels"}
    if method == "capability/call":
        required |= {"method"}
    else:
        optional |= {"intent"}
    intent = params.get("intent", "x")
    return (
        required <= params.keys() <= required | optional
        and is_token(params["operationId"])
        and is_name(params["slot"])
        and is_name(params.get("method", "x"))
        and isinstance(intent, str)
        and 1 <= len(intent) <= 16_384
        and is_channel_map(params.get("channels", {}))
    )


def is_channel_map(value):
    return (
        isinstance(value, dict)
        and len(value) <= 256
        and all(is_name(name) and is_token(endpoint) for name, endpoint in value.items())
    )


def check_envelope(message):
    """Splits a frame's value into ("request" | "notification" | "response", message)."""
    request_id = message.get("id") if isinstance(message, dict) else None
    bad = ProtocolError("invalid JSON-RPC envelope", answer=-32600, request_id=request_id if is_token(request_id) else None)
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise bad
    if "method" in message:
        if not message.keys() <= {"jsonrpc", "id", "method", "params"} or not isinstance(message["method"], str):
            raise bad
        if not isinstance(message.get("params", {}), (dict, list)):
            raise bad
        if "id" not in message:
            return "notification"
        if not is_token(message["id"]):
            raise bad
        return "request"
    if "id" not in message or ("result" in message) == ("error" in message):
        raise bad
    if not message.keys() <= {"jsonrpc", "id", "result", "error"}:
        raise bad
    return "response"


def failure_of(error):
    """The operational failure inside a JSON-RPC error object; ProtocolError for anything else."""
    if not isinstance(error, dict) or not error.keys() <= {"code", "message", "data"}:
        raise ProtocolError("malformed error object")
    message, data = error.get("message"), error.get("data")
    if not isinstance(message, str) or not 1 <= len(message) <= 1_024:
        raise ProtocolError("malformed error message")
    if error.get("code") in STANDARD_ERRORS:
        raise ProtocolError(f"the component answered with the standard error {error['code']}: {message}")
    if error.get("code") != -32000 or not isinstance(data, dict) or not data.keys() <= {"code", "details"}:
        raise ProtocolError("malformed operational error")
    if data.get("code") not in WIRE_CODES:
        raise ProtocolError(f"unknown operational code {data.get('code')!r}")
    return {"code": data["code"], "message": message, **({"details": data["details"]} if "details" in data else {})}


# The Run -------------------------------------------------------------------------------------------------------------


class Operation:
    """Work shared by every request that joined it; settled once, then replayed."""

    def __init__(self, identity):
        self.identity = identity
        self.waiters = set()
        self.task = None
        self.outcome = None


class Run:
    def __init__(self, script, process, scratch):
        self.script = script
        self.process = process
        self.scratch = scratch
        self.calls = []
        self.pending = {}  # request id -> Operation
        self.seen = set()
        self.operations = {}
        self.dispatches = {}
        self.response = None
        self.violation = None
        self.stopping = None  # CANCELLED or DEADLINE_EXCEEDED, whichever was recorded first
        self.killed = False
        self.answered = asyncio.Event()
        self.stderr = b""

    def send(self, message):
        frame = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
        try:
            self.process.stdin.write(frame + b"\n")
        except (BrokenPipeError, ConnectionResetError):
            pass  # the component's exit will tell

    def start(self):
        now = int(time.time() * 1000)
        params = {
            "protocol": "run/1",
            "input": self.script.get("input"),
            "settings": self.script.get("settings", {}),
            "attachments": self.script.get("attachments", {}),
            "scratch": self.script.get("scratch", self.scratch),
            "deadlineUnixMs": now + self.script.get("deadlineMs", 20_000),
        }
        self.send({"id": "host:1", "method": "flow/run", "params": params})

    def stop(self, code):
        """Records the first terminal condition and asks the component to stop; it is killed after the grace."""
        if self.response is not None or self.stopping is not None:
            return
        self.stopping = code
        self.send({"method": "request/cancel", "params": {"requestId": "host:1"}})
        asyncio.get_running_loop().call_later(GRACE, self.kill)

    def kill(self):
        if self.process.returncode is None:
            self.killed = True
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def receive(self, frame):
        if self.response is not None:
            raise ProtocolError("a frame after the root response")
        if not frame:
            raise ProtocolError("an empty frame", answer=-32700)
        message = parse_frame(frame)
        try:
            kind = check_envelope(message)
        except ProtocolError as error:
            if error.request_id in self.seen:
                error.request_id = None  # that id's request has had its answer
            raise
        if kind == "response":
            self.root_response(message)
        elif kind == "notification":
            if message["method"] == "request/cancel":
                self.cancel_request(message.get("params"))
        else:
            self.request(message)

    def root_response(self, message):
        if message["id"] != "host:1":
            raise ProtocolError("a response to a request that was never made")
        if "result" in message and not is_result(message["result"]):
            raise ProtocolError("malformed root result")
        if "error" in message:
            failure_of(message["error"])
        if self.pending:
            raise ProtocolError("the root was answered while calls were pending")
        self.response = message
        self.answered.set()

    def request(self, message):
        request_id, method = message["id"], message["method"]
        if request_id in self.seen:
            raise ProtocolError("a request id was used twice")
        if len(self.seen) == MAX_REQUESTS:
            raise ProtocolError("more requests than a channel may carry")
        self.seen.add(request_id)
        if method.startswith("channel/"):
            return self.channel(request_id, method, message.get("params"))
        if method not in ("flow/run-child", "capability/call"):
            return self.send({"id": request_id, "error": {"code": -32601, "message": "Method not found"}})
        params = message.get("params")
        if not is_call(method, params):
            return self.send({"id": request_id, "error": {"code": -32602, "message": "Invalid params"}})
        self.calls.append({"method": method, **params})
        if len(self.pending) == MAX_LIVE:
            return self.fail(request_id, "RESOURCE_EXHAUSTED", "64 calls are pending.")
        if self.stopping is not None:
            return self.fail(request_id, "OWNER_CLOSED", "The Run is stopping.")
        self.join(request_id, method, params)
        if self.script.get("cancelOnCall") == len(self.calls):
            self.stop("CANCELLED")

    def channel(self, request_id, method, params):
        self.fail(request_id, "UNAVAILABLE", "This host carries no channels.")

    def join(self, request_id, method, params):
        identity = canonical([method, params])
        operation = self.operations.setdefault(params["operationId"], Operation(identity))
        if operation.identity != identity:
            return self.fail(request_id, "OPERATION_CONFLICT", "The operation id stands for another call.")
        if operation.outcome is not None:
            return self.send({"id": request_id, **operation.outcome})
        operation.waiters.add(request_id)
        self.pending[request_id] = operation
        if operation.task is None:
            operation.task = asyncio.get_running_loop().create_task(self.perform(operation, method, params))

    async def perform(self, operation, method, params):
        try:
            outcome = await self.answer(method, params)
        except asyncio.CancelledError:
            outcome = failed("CANCELLED", "The work was cancelled.")
        operation.outcome = outcome
        for request_id in sorted(operation.waiters):
            self.pending.pop(request_id, None)
            self.send({"id": request_id, **outcome})
        operation.waiters.clear()

    async def answer(self, method, params):
        child = method == "flow/run-child"
        key = params["slot"] if child else f"{params['slot']}.{params['method']}"
        answers = self.script.get("children" if child else "capabilities", {}).get(key)
        if answers is None:
            return failed("UNAVAILABLE", f"Nothing is bound to {key}.")
        turn = self.dispatches[key] = self.dispatches.get(key, 0) + 1
        answer = answers if isinstance(answers, dict) else answers[min(turn, len(answers)) - 1]
        await asyncio.sleep(answer.get("delayMs", 0) / 1000)
        if answer.get("hang"):
            await asyncio.Event().wait()
        if "failure" in answer:
            return failed(**answer["failure"])
        if answer.get("echo"):
            return {"result": {"outcome": "done", "output": params["input"]} if child else {"value": params["input"]}}
        if child:
            return {"result": answer["result"]}
        return {"result": {name: answer[name] for name in ("value", "error") if name in answer}}

    def cancel_request(self, params):
        if not isinstance(params, dict) or params.keys() != {"requestId"} or not is_token(params["requestId"]):
            raise ProtocolError("a malformed request/cancel")
        operation = self.pending.pop(params["requestId"], None)
        if operation is None:
            return
        operation.waiters.discard(params["requestId"])
        self.fail(params["requestId"], "CANCELLED", "The wait was cancelled.")
        if not operation.waiters:
            operation.task.cancel()

    def fail(self, request_id, code, message):
        self.send({"id": request_id, **failed(code, message)})

    async def read_stdout(self):
        rest = bytearray()
        while chunk := await self.process.stdout.read(65_536):
            if self.violation is not None:
                continue  # drain
            try:
                first, *more = chunk.split(b"\n")
                rest += first
                for piece in more:
                    self.receive(bytes(rest))
                    rest = bytearray(piece)
                if self.response is not None and rest:
                    raise ProtocolError("bytes after the root response")
                if len(rest) > MAX_FRAME:
                    raise ProtocolError("oversized frame")
            except ProtocolError as error:
                self.violate(error)
        if rest and self.violation is None:
            self.violate(ProtocolError(f"incomplete frame at the end: {bytes(rest[:40])!r}"))

    def violate(self, error):
        self.violation = error
        if error.answer is not None:
            self.send({"id": error.request_id, "error": {"code": error.answer, "message": str(error)}})
        self.answered.set()

    async def read_stderr(self):
        while chunk := await self.process.stderr.read(65_536):
            self.stderr = (self.stderr + chunk)[-65_536:]

    async def supervise(self):
        streams = asyncio.gather(self.read_stdout(), self.read_stderr())
        ended = asyncio.ensure_future(self.process.wait())
        answered = asyncio.ensure_future(self.answered.wait())
        loop = asyncio.get_running_loop()
        loop.call_later(self.script.get("deadlineMs", 20_000) / 1000, self.stop, "DEADLINE_EXCEEDED")
        if "cancelAfterMs" in self.script:
            loop.call_later(self.script["cancelAfterMs"] / 1000, self.stop, "CANCELLED")
        self.start()
        await asyncio.wait((ended, answered), return_when=asyncio.FIRST_COMPLETED)
        try:
            self.process.stdin.close()
        except (BrokenPipeError, ConnectionResetError):
            pass
        done, _ = await asyncio.wait((ended,), timeout=GRACE)
        if not done:
            self.kill()
        exit_code = await ended
        await streams
        for operation in self.operations.values():
            if operation.task is not None and not operation.task.done():
                operation.task.cancel()
        return self.conclude(exit_code)

    def conclude(self, exit_code):
        """Run/1 section 9, in its order."""
        if self.violation is not None:
            return failure("PROTOCOL_ERROR", str(self.violation))
        if self.stopping is not None:
            return failure(self.stopping, "The host ended the Run.")
        if self.killed:
            return failure("EXECUTION_FAILED", "The component had to be killed after its answer.")
        if exit_code != 0:
            return failure("EXECUTION_FAILED", f"The component exited with {exit_code}.")
        if self.response is None:
            return failure("CHANNEL_LOST", "The component exited without an answer.")
        if "error" in self.response:
            return {"status": "failed", **failure_of(self.response["error"])}
        return {"status": "succeeded", **self.response["result"]}


def failed(code, message, **details):
    return {"error": {"code": -32000, "message": message, "data": {"code": code, **details}}}


def failure(code, message):
    return {"status": "failed", "code": code, "message": message}


async def main():
    parser = argparse.ArgumentParser(description="Run one component under an independent Run/1 host.")
    parser.add_argument("--script", required=True)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    with open(arguments.script, encoding="utf-8") as file:
        script = json.load(file)
    with tempfile.TemporaryDirectory() as scratch:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        run = Run(script, process, scratch)
        conclusion = await run.supervise()
    report = {
        **conclusion,
        "calls": run.calls,
        "exitCode": process.returncode,
        "stderr": run.stderr.decode("utf-8", "replace"),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
