"""A Run/1 component in Python's standard library, written from the specification alone: a small runtime (frames, requests,
channels, completion) and the player of the kit's scenarios (COMPONENT.md). It shares no line with this library's own.

    python3 component.py        speaks Run/1 on stdin and stdout; anything printed goes to stderr
"""

import asyncio
import json
import math
import os
import re
import sys

MAX_FRAME = 16_777_216
MAX_SAFE = 2**53 - 1
MAX_LIVE = 64
MAX_REQUESTS = 65_536
MAX_ENDPOINTS = 512
TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}", re.ASCII)
NAME = re.compile(r"(?=.{1,64}$)[a-z0-9]+(?:-[a-z0-9]+)*", re.ASCII)
WIRE_CODES = frozenset(
    "CANCELLED DEADLINE_EXCEEDED OWNER_CLOSED OPERATION_CONFLICT UNAVAILABLE PERMISSION_DENIED RESOURCE_EXHAUSTED "
    "INVALID_INPUT INVALID_RESULT UNCERTAIN EXECUTION_FAILED LAGGED DISCONNECTED".split()
)
STANDARD_ERRORS = frozenset((-32700, -32600, -32601, -32602, -32603))
# Failures of a read that say nothing about the receiver: they may be about this one request.
INCONCLUSIVE = frozenset(("CANCELLED", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "UNAVAILABLE"))


class Fatal(Exception):
    """The host broke the protocol, or the connection is lost. `answer` is the best-effort standard code, if one is due."""

    def __init__(self, message, answer=None, answer_id=None):
        super().__init__(message)
        self.answer = answer
        self.answer_id = answer_id


class LocalMistake(ValueError):
    """Arguments of the author's that make no request: nothing is sent (SDK section 4)."""


class OperationError(Exception):
    def __init__(self, code, message="The operation failed.", details=None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class CapabilityError(Exception):
    def __init__(self, error_name, data):
        super().__init__(error_name)
        self.error_name = error_name
        self.data = data


# JSON/1 --------------------------------------------------------------------------------------------------------------


def parse_frame(frame):
    """A frame's value. Invalid UTF-8 is fatal without an answer, anything else that is not JSON/1 with -32700."""
    try:
        text = frame.decode("utf-8")
    except UnicodeDecodeError:
        raise Fatal("a frame is not UTF-8") from None
    try:
        if text.startswith("\ufeff"):
            raise ValueError("byte order mark")
        value = json.loads(text, object_pairs_hook=unique, parse_constant=refuse, parse_int=number, parse_float=number)
        check_json(value)
    except (ValueError, RecursionError) as error:
        raise Fatal(f"a frame is not JSON/1: {error}", -32700) from None
    return value


def unique(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("duplicate member")
    return found


def refuse(constant):
    raise ValueError(f"no number: {constant}")


def number(token):
    if len(token) > 128:
        raise ValueError("a number of more than 128 bytes")
    value = float(token) if any(mark in token for mark in ".eE") else int(token)
    check_number(value)
    return value


def check_number(value):
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a number out of range")
    if value == int(value) and abs(value) > MAX_SAFE:
        raise ValueError("an integer out of range")


def check_json(value):
    """JSON/1's bounds of values: depth 128, 262,144 nodes, 65,536 members or items, 8 MiB of a string, 1,024 bytes of a name."""
    nodes = 0
    stack = [(value, 1)]
    while stack:
        node, depth = stack.pop()
        nodes += 1
        if nodes > 262_144:
            raise ValueError("too many nodes")
        if node is None or isinstance(node, bool):
            continue
        if isinstance(node, (int, float)):
            check_number(node)
        elif isinstance(node, str):
            check_text(node, 8_388_608)
        elif isinstance(node, (dict, list)):
            if depth > 128 or len(node) > 65_536:
                raise ValueError("too deep or too large")
            if isinstance(node, dict):
                for name in node:
                    if not isinstance(name, str):
                        raise ValueError("a member name that is no text")
                    check_text(name, 1_024)
                stack.extend((item, depth + 1) for item in node.values())
            else:
                stack.extend((item, depth + 1) for item in node)
        else:
            raise ValueError(f"no JSON value: {type(node).__name__}")


def check_text(text, most):
    if len(text.encode("utf-8")) > most:  # a lone surrogate has no UTF-8: UnicodeEncodeError is a ValueError
        raise ValueError("a text that is too long")


def encode(frame):
    check_json(frame)
    data = json.dumps(frame, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8")
    if len(data) > MAX_FRAME:
        raise ValueError("a frame that is too large")
    return data


# Shapes (sections 1 to 5.1) --------------------------------------------------------------------------------------------


def is_token(value):
    return isinstance(value, str) and TOKEN.fullmatch(value) is not None


def is_name(value):
    return isinstance(value, str) and NAME.fullmatch(value) is not None


def has(value, required, optional=()):
    """Whether `value` is an object with exactly these members."""
    return isinstance(value, dict) and set(required) <= value.keys() <= {*required, *optional}


def is_integer(value, least):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value) and value >= least


def is_grant(value, direction=None, delivery=None):
    receive = isinstance(value, dict) and value.get("direction") == "receive"
    required = ["endpoint", "direction", "delivery"] + (["startSequence"] if receive else [])
    if not has(value, required, ["contract"]) or not is_token(value["endpoint"]):
        return False
    if value["direction"] not in ("send", "receive") or value["delivery"] not in ("direct", "broadcast"):
        return False
    if direction is not None and value["direction"] != direction or delivery is not None and value["delivery"] != delivery:
        return False
    if receive and not is_integer(value["startSequence"], 1):
        return False
    if receive and value["delivery"] == "direct" and value["startSequence"] != 1:
        return False
    return "contract" not in value or is_identity(value["contract"])


def is_identity(value):
    return (
        has(value, ("id", "version", "digest"))
        and all(isinstance(each, str) for each in value.values())
        and re.fullmatch(r"https://[^\s]+", value["id"]) is not None
        and re.fullmatch(r"(0|[1-9][0-9]*)(\.(0|[1-9][0-9]*)){2}", value["version"], re.ASCII) is not None
        and re.fullmatch(r"sha256:[0-9a-f]{64}", value["digest"], re.ASCII) is not None
    )


def is_root(params):
    if not has(params, ("protocol", "input", "settings", "attachments", "scratch", "deadlineUnixMs"), ("channels",)):
        return False
    attachments, channels = params["attachments"], params.get("channels", {})
    return (
        params["protocol"] == "run/1"
        and isinstance(params["settings"], dict)
        and isinstance(attachments, dict)
        and len(attachments) <= 256
        and all(is_name(name) and is_attachment(each) for name, each in attachments.items())
        and isinstance(params["scratch"], str)
        and params["scratch"] != ""
        and is_integer(params["deadlineUnixMs"], 0)
        and isinstance(channels, dict)
        and len(channels) <= 256
        and all(is_name(name) and is_grant(each) for name, each in channels.items())
        and len({each["endpoint"] for each in channels.values()}) == len(channels)
    )


def is_attachment(value):
    return (
        has(value, ("path", "access"))
        and isinstance(value["path"], str)
        and value["path"] != ""
        and value["access"] in ("read", "read-write")
    )


def is_run_result(value):
    return has(value, ("outcome", "output")) and is_name(value["outcome"])


def is_capability_result(value):
    if has(value, ("value",)):
        return True
    return has(value, ("error",)) and has(value["error"], ("name", "data")) and is_name(value["error"]["name"])


def is_read_result(value):
    if has(value, ("item",)):
        return has(value["item"], ("sequence", "value")) and is_integer(value["item"]["sequence"], 1)
    return has(value, ("end",)) and has(value["end"], ("lastSequence",)) and is_integer(value["end"]["lastSequence"], 0)


def is_release_result(value):
    if has(value, ("status",)):
        return value["status"] == "released"
    if has(value, ("status", "lastSequence")):
        return value["status"] == "ended" and is_integer(value["lastSequence"], 0)
    return has(value, ("status", "code"), ("details",)) and value["status"] == "failed" and value["code"] in WIRE_CODES


def is_message(text):
    return isinstance(text, str) and 1 <= len(text) <= 1_024 and is_well_formed(text)


def is_well_formed(text):
    try:
        text.encode("utf-8")
        return True
    except UnicodeEncodeError:
        return False


# The session -----------------------------------------------------------------------------------------------------------


NOTHING = object()
"""In place of a result: the request failed, or was taken back."""


class Pending:
    """A request of ours until its response: when its waiter has gone, it stays as a tombstone (SDK section 6)."""

    def __init__(self, method, check, settlement):
        self.method = method
        self.check = check
        self.settlement = settlement
        self.id = None
        self.cancelled = False
        self.future = asyncio.get_running_loop().create_future()
        self.future.add_done_callback(lambda future: future.cancelled() or future.exception())


class Session:
    def __init__(self, write):
        self.write = write
        self.control, self.ordinary, self.last = [], [], None
        self.wake = asyncio.Event()
        self.writing = asyncio.Lock()
        self.over = asyncio.get_running_loop().create_future()
        self.buffer = bytearray()
        self.scanned = 0
        self.root_id = None
        self.params = None
        self.handler = None
        self.running = False
        self.accepting = False
        self.cancelled = False
        self.published = False
        self.dead = False
        self.seen = set()
        self.pending = {}
        self.unsent = set()
        self.sent = 0
        self.quiescent = asyncio.Event()
        self.tokens = set()
        self.endpoints = []
        self.allocating = 0
        self.uncertain = False

    # Bytes in ---------------------------------------------------------------------------------------------------------

    def receive(self, data):
        self.buffer += data
        while not (self.dead or self.published):
            end = self.buffer.find(b"\n", self.scanned)
            if end < 0:
                self.scanned = len(self.buffer)
                if len(self.buffer) > MAX_FRAME:
                    self.fail(Fatal("an oversized frame"))
                return
            frame = bytes(self.buffer[:end])
            del self.buffer[: end + 1]
            self.scanned = 0
            try:
                if len(frame) > MAX_FRAME:
                    raise Fatal("an oversized frame")
                self.frame(parse_frame(frame))
            except Fatal as error:
                self.fail(error)

    def ended(self):
        if not (self.dead or self.published):
            self.fail(Fatal("the host closed the channel"))

    def frame(self, value):
        if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
            raise Fatal("no envelope", -32600)
        if "method" in value:
            self.message(value)
        else:
            self.response(value)

    def message(self, value):
        known = {"jsonrpc", "id", "method", "params"}
        if not value.keys() <= known or not isinstance(value["method"], str):
            raise Fatal("an invalid envelope", -32600)
        if "params" in value and not isinstance(value["params"], (dict, list)):
            raise Fatal("params that are neither object nor list", -32600)
        if "id" not in value:
            self.notification(value)
            return
        request_id = value["id"]
        if not is_token(request_id):
            raise Fatal("an invalid request id", -32600)
        if request_id in self.seen or len(self.seen) >= MAX_REQUESTS:
            raise Fatal("a request id that was used before, or one request too many")
        self.seen.add(request_id)
        if value["method"] != "flow/run":
            self.send(self.ordinary, {"id": request_id, "error": {"code": -32601, "message": "No such method."}})
        elif self.root_id is not None:
            raise Fatal("a second flow/run", -32600, request_id)
        else:
            self.root(request_id, value.get("params"))

    def root(self, request_id, params):
        self.root_id = request_id
        if is_root(params):
            self.params = params
            self.accepting = True
            self.handler = asyncio.ensure_future(self.run())
        else:
            self.last = lambda: {"error": {"code": -32602, "message": "Invalid params of flow/run."}}
            self.wake.set()

    def notification(self, value):
        if value["method"] != "request/cancel":
            return
        params = value.get("params")
        if not has(params, ("requestId",)) or not is_token(params["requestId"]):
            raise Fatal("a malformed request/cancel")
        if params["requestId"] != self.root_id or self.cancelled or self.handler is None:
            return
        self.cancelled = True
        self.accepting = False
        for pending in [*self.pending.values(), *self.unsent]:
            self.cancel(pending, everybody=True)
        if self.running:
            self.handler.cancel()

    def response(self, value):
        if not value.keys() <= {"jsonrpc", "id", "result", "error"} or ("result" in value) == ("error" in value):
            raise Fatal("an invalid envelope", -32600)
        error = value.get("error")
        if "error" in value and not self.is_error(error):
            raise Fatal("an invalid error", -32600)
        pending = self.pending.get(value.get("id")) if isinstance(value.get("id"), str) else None
        if "error" in value and error["code"] != -32000:
            raise Fatal(f"the host answered {error['code']}")
        if pending is None:
            raise Fatal("a response to no pending request")
        if error is None:
            pending.check(value["result"], pending)
        del self.pending[pending.id]
        if error is not None:
            data = error["data"]
            self.settle(pending, OperationError(data["code"], error["message"], data.get("details")))
        else:
            self.settle(pending, None, value["result"])
        self.look()

    @staticmethod
    def is_error(error):
        if not has(error, ("code", "message"), ("data",)) or not is_message(error["message"]):
            return False
        if error["code"] in STANDARD_ERRORS:
            return True
        data = error.get("data")
        return error["code"] == -32000 and has(data, ("code",), ("details",)) and data["code"] in WIRE_CODES

    # Requests ---------------------------------------------------------------------------------------------------------

    @property
    def reserve(self):
        return sum(1 for each in self.endpoints if each.owed) + self.allocating

    def begin(self, method, params, check, settlement=False, allocates=0):
        """Admits a request (section 1). A settlement goes first, and may use the place that is kept for it."""
        try:
            encode({"jsonrpc": "2.0", "id": "x" * 128, "method": method, "params": params})
        except ValueError as error:
            raise LocalMistake(str(error)) from None
        kept = 0 if settlement else self.reserve + allocates
        if not settlement and not self.accepting or self.dead or self.published:
            raise OperationError("OWNER_CLOSED", "The Run admits no more work.")
        if len(self.pending) + len(self.unsent) >= MAX_LIVE - (1 if kept else 0):
            raise OperationError("RESOURCE_EXHAUSTED", "Too many requests are pending.")
        if self.sent + len(self.unsent) >= MAX_REQUESTS - kept:
            raise OperationError("RESOURCE_EXHAUSTED", "The requests of this channel are used up.")
        self.allocating += allocates
        pending = Pending(method, check, settlement)
        self.unsent.add(pending)

        def take():
            if pending not in self.unsent:
                return None
            self.unsent.discard(pending)
            self.sent += 1
            pending.id = f"python:{self.sent}"
            self.pending[pending.id] = pending
            return {"id": pending.id, "method": method, "params": params}

        (self.control if settlement else self.ordinary).append(take)
        self.wake.set()
        return pending

    async def request(self, method, params, check, allocates=0):
        """One request and its response. Cancelling the awaiting task cancels the wait; the response is awaited all the same."""
        pending = self.begin(method, params, check, allocates=allocates)
        try:
            return await asyncio.shield(pending.future)
        except asyncio.CancelledError:
            self.cancel(pending)
            raise

    def cancel(self, pending, everybody=False):
        """Ends a wait. A settlement goes on; who waits for it is told at root cancellation only."""
        if pending.settlement and not everybody or pending.future.done() and pending.cancelled:
            return
        if not pending.settlement and not pending.cancelled:
            pending.cancelled = True
            if pending in self.unsent:
                self.unsent.discard(pending)
                pending.check(NOTHING, pending)
            else:
                request_id = pending.id
                self.control.append(
                    lambda: {"method": "request/cancel", "params": {"requestId": request_id}}
                    if request_id in self.pending
                    else None
                )
                self.wake.set()
                if pending.method == "channel/next":
                    pending.endpoint.dispose()
        if not pending.future.done():
            pending.future.set_exception(OperationError("CANCELLED", "The call was cancelled."))
        self.look()

    def settle(self, pending, error, result=None):
        if error is not None:
            pending.check(NOTHING, pending)
        if pending.future.done():
            return
        if error is not None:
            pending.future.set_exception(error)
        else:
            pending.future.set_result(result)

    def look(self):
        if not self.pending and not self.unsent:
            self.quiescent.set()

    # Bytes out --------------------------------------------------------------------------------------------------------

    def send(self, lane, message):
        lane.append(lambda: message)
        self.wake.set()

    async def pump(self):
        """Writes one frame after the other; taking the terminal is the claim of its publication (section 9)."""
        while not self.over.done():
            await self.wake.wait()
            self.wake.clear()
            while (message := self.take()) is not None:
                frame = encode({"jsonrpc": "2.0", **message}) + b"\n"
                try:
                    async with self.writing:
                        await asyncio.get_running_loop().run_in_executor(None, self.write, frame)
                except OSError as error:
                    self.finish(error)
                    return
            if self.published:
                self.finish(None)

    def take(self):
        while self.control or self.ordinary:
            message = (self.control or self.ordinary).pop(0)()
            if message is not None:
                return message
        if self.last is None:
            return None
        terminal, self.last = self.last(), None
        self.published = True
        return {"id": self.root_id, **terminal}

    def fail(self, error):
        """The channel dies: queued writes are suppressed, pending calls fail once, a diagnostic may still leave."""
        self.dead = True
        self.accepting = False
        self.control, self.ordinary, self.last = [], [], None
        code = "PROTOCOL_ERROR" if "closed the channel" not in str(error) else "CHANNEL_LOST"
        for pending in [*self.pending.values(), *self.unsent]:
            if not pending.future.done():
                pending.future.set_exception(OperationError(code, str(error)))
        self.pending.clear()
        self.unsent.clear()
        if error.answer is not None:
            answer = {"id": error.answer_id, "error": {"code": error.answer, "message": "The frame is none of Run/1."}}
            self.last_words = asyncio.ensure_future(self.say(encode({"jsonrpc": "2.0", **answer}) + b"\n", error))
        else:
            self.finish(error)

    async def say(self, data, error):
        try:
            async with self.writing:
                await asyncio.get_running_loop().run_in_executor(None, self.write, data)
        except OSError:
            pass
        self.finish(error)

    def finish(self, error):
        if not self.over.done():
            self.over.set_result(error)

    # The root ---------------------------------------------------------------------------------------------------------

    async def run(self):
        self.running = True
        try:
            if self.cancelled:
                raise asyncio.CancelledError
            outcome = await Scenario(self).play(self.params["input"]["steps"])
            terminal = self.judge(outcome)
        except asyncio.CancelledError:
            terminal = failure(OperationError("CANCELLED", "The Run was cancelled."))
        except OperationError as error:
            terminal = failure(error)
        except Exception as error:  # noqa: BLE001 - an ordinary error is this invocation's failure, without a word of it
            print(f"the handler failed: {error!r}", file=sys.stderr)
            terminal = failure(OperationError("EXECUTION_FAILED", "The handler failed."))
        if not self.dead:
            await asyncio.shield(self.complete(terminal))

    def judge(self, outcome):
        """The terminal of what a handler returned; what it abandoned is looked at now (section 9)."""
        try:
            if not is_run_result(outcome):
                raise ValueError("no outcome and output")
            encode({"jsonrpc": "2.0", "id": self.root_id, "result": outcome})
        except ValueError as error:
            return failure(OperationError("INVALID_RESULT", f"The result is none: {error}"[:1_000]))
        live = [each for each in [*self.pending.values(), *self.unsent] if not (each.cancelled or each.settlement)]
        if live or any(each.abandoned for each in self.endpoints):
            return failure(OperationError("EXECUTION_FAILED", "The handler abandoned work."))
        return {"result": outcome}

    async def complete(self, terminal):
        self.accepting = False
        for pending in [*self.pending.values(), *self.unsent]:
            self.cancel(pending)
        while self.pending or self.unsent:
            self.quiescent.clear()
            await self.quiescent.wait()
            if self.dead:
                return
        if self.uncertain:
            terminal = failure(OperationError("UNCERTAIN", "A late grant could not be disposed."))
        cancelled = failure(OperationError("CANCELLED", "The Run was cancelled."))
        self.last = lambda: cancelled if self.cancelled else terminal
        self.wake.set()

    # Grants -----------------------------------------------------------------------------------------------------------

    def grant(self, grant, origin):
        if grant["endpoint"] in self.tokens or len(self.endpoints) >= MAX_ENDPOINTS:
            raise Fatal("a channel reference that was granted before, or one endpoint too many")
        self.tokens.add(grant["endpoint"])
        endpoint = (Sender if grant["direction"] == "send" else Receiver)(self, grant, origin)
        self.endpoints.append(endpoint)
        return endpoint

    def late(self, endpoint):
        """Disposes what was granted to a wait that had gone; if that fails, the Run is uncertain."""
        pending = endpoint.settle()
        pending.future.add_done_callback(self.late_settled)

    def late_settled(self, future):
        if future.exception() is not None and not self.cancelled:
            self.uncertain = True

    async def channel(self, options):
        if "schema" in options and "contract" in options or not options.keys() <= {"delivery", "schema", "contract"}:
            raise LocalMistake("a channel has a schema or a contract")
        delivery = options.get("delivery", "direct")
        if delivery not in ("direct", "broadcast"):
            raise LocalMistake("an unknown delivery")
        made = {}
        allocates = 2 if delivery == "direct" else 1

        def check(result, pending):
            self.allocating -= allocates
            if result is NOTHING:
                return
            if delivery == "direct":
                ok = has(result, ("send", "receive")) and is_grant(result["receive"], "receive", "direct")
            else:
                ok = has(result, ("send", "source")) and is_token(result["source"])
            if not ok or not is_grant(result["send"], "send", delivery):
                raise Fatal("a creation with an invalid result")
            made["send"] = self.grant(result["send"], "created")
            if delivery == "direct":
                if result["send"].get("contract") != result["receive"].get("contract"):
                    raise Fatal("the ends of a channel have different contracts")
                made["receive"] = self.grant(result["receive"], "created")
                made["send"].peer, made["receive"].peer = made["receive"], made["send"]
            else:
                if result["source"] in self.tokens:
                    raise Fatal("a source reference that was granted before")
                self.tokens.add(result["source"])
                made["source"] = result["source"]
            if pending.cancelled:
                made["send"].owed = False
                self.late(made.get("receive", made["send"]))

        await self.request("channel/create", options, check, allocates)
        return made

    async def subscribe(self, source):
        made = {}

        def check(result, pending):
            self.allocating -= 1
            if result is NOTHING:
                return
            if not is_grant(result, "receive", "broadcast"):
                raise Fatal("a subscription with an invalid grant")
            if result.get("contract") != source["send"].contract:
                raise Fatal("a subscription with another contract than its source")
            made["receive"] = self.grant(result, "subscribed")
            if pending.cancelled:
                self.late(made["receive"])

        await self.request("channel/subscribe", {"source": source["source"]}, check, 1)
        return made["receive"]


def failure(error):
    """An operational error that may cross the wire; anything else is EXECUTION_FAILED (SDK section 5)."""
    if error.code not in WIRE_CODES or not is_message(error.message):
        error = OperationError("EXECUTION_FAILED", "The handler failed.")
    data = {"code": error.code}
    if error.details is not None:
        try:
            check_json(error.details)
            data["details"] = error.details
        except ValueError:
            data = {"code": "EXECUTION_FAILED"}
    return {"error": {"code": -32000, "message": error.message, "data": data}}


# Endpoints (section 5.1, SDK section 9) --------------------------------------------------------------------------------


class Endpoint:
    def __init__(self, session, grant, origin):
        self.session = session
        self.token = grant["endpoint"]
        self.direction = grant["direction"]
        self.delivery = grant["delivery"]
        self.contract = grant.get("contract")
        self.start = grant.get("startSequence")
        self.origin = origin
        self.peer = None
        self.used = False
        self.offers = 0
        self.owed = True
        self.settling = None

    @property
    def metadata(self):
        found = {"direction": self.direction, "delivery": self.delivery}
        if self.contract is not None:
            found["contract"] = self.contract
        if self.start is not None:
            found["startSequence"] = self.start
        return found


class Sender(Endpoint):
    abandoned = False

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.sending = 0

    async def send(self, value):
        self.used = True
        self.sending += 1
        try:
            await self.session.request("channel/send", {"endpoint": self.token, "value": value}, is_null)
        finally:
            self.sending -= 1

    async def close(self):
        if self.sending > 0:
            raise OperationError("INVALID_INPUT", "Sends are under way.")
        if self.settling is None or self.settling.future.done() and self.settling.future.exception() is not None:
            self.settle()
        await asyncio.shield(self.settling.future)

    def settle(self):
        self.used = True
        self.owed = False
        self.settling = self.session.begin("channel/close", {"endpoint": self.token}, is_null, settlement=True)
        return self.settling


def is_null(result, pending):
    if result is not None and result is not NOTHING:
        raise Fatal("a result that should be null")


class Receiver(Endpoint):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.expected = self.start
        self.reading = None
        self.over = False
        self.end = None
        self.cause = None
        self.told = False
        self.iterating = False

    @property
    def abandoned(self):
        if self.offers > 0 or self.settling is not None or self.end is not None or self.cause is not None:
            return False
        peer = self.peer is not None and (self.peer.used or self.peer.offers > 0)
        return self.origin != "created" or self.used or peer

    async def next(self):
        """`(True, value)` or, at the end, `(False, None)`."""
        if self.reading is not None and not self.reading.cancelled:
            raise LocalMistake("one read at a time")
        if self.cause is not None:
            self.told = True
            raise self.cause
        if self.over:
            return False, None
        self.used = True
        pending = self.session.begin("channel/next", {"endpoint": self.token}, self.check_read)
        pending.endpoint = self
        self.reading = pending
        try:
            result = await asyncio.shield(pending.future)
        except asyncio.CancelledError:
            self.session.cancel(pending)
            raise
        except OperationError as error:
            if error.code not in INCONCLUSIVE and not pending.cancelled:
                self.cause, self.told, self.owed = error, True, False
            raise
        return (True, result["item"]["value"]) if "item" in result else (False, None)

    def check_read(self, result, pending):
        self.reading = None
        if result is NOTHING:
            return
        if not is_read_result(result):
            raise Fatal("a read with an invalid result")
        if "item" in result:
            if result["item"]["sequence"] != self.expected:
                raise Fatal("an item out of sequence")
            self.expected += 1
        else:
            if result["end"]["lastSequence"] != self.expected - 1:
                raise Fatal("an end that is not after the last item")
            self.end = result["end"]["lastSequence"]
            self.over, self.owed = True, False

    def dispose(self):
        """An active read was cancelled: what it may have skipped can't be read again."""
        self.over = True
        if self.settling is None and self.end is None and self.cause is None:
            self.settle()

    def settle(self):
        self.used = True
        self.over, self.owed = True, False
        params = {"endpoint": self.token}
        self.settling = self.session.begin("channel/release", params, self.check_release, settlement=True)
        return self.settling

    def check_release(self, result, pending):
        if result is NOTHING:
            return
        if not is_release_result(result):
            raise Fatal("a release with an invalid result")
        if self.end is not None and (result["status"] != "ended" or result["lastSequence"] != self.end):
            raise Fatal("a release that contradicts an end")
        if result["status"] == "ended" and result["lastSequence"] < self.expected - 1:
            raise Fatal("a release that ends before what was delivered")
        if result["status"] == "failed" and self.cause is None:
            self.cause = OperationError(result["code"], "The channel had failed.", result.get("details"))

    async def close(self):
        if self.settling is None and self.end is None and self.cause is None:
            self.settle()
        if self.settling is not None:
            await asyncio.shield(self.settling.future)
            while self.reading is not None:
                await asyncio.wait([self.reading.future])
                await asyncio.sleep(0)
        if self.cause is not None and not self.told:
            self.told = True
            raise self.cause


# Scenarios (COMPONENT.md) ----------------------------------------------------------------------------------------------


class Scenario:
    def __init__(self, session):
        self.session = session
        self.seen = {}
        self.tasks = {}
        self.named = {f"run.{name}": session.grant(each, "granted") for name, each in self.ports().items()}

    def ports(self):
        return self.session.params.get("channels", {})

    async def play(self, steps):
        for step in steps:
            verb = next(iter(step))
            argument = step[verb]
            if "as" in step and verb != "root":
                work = getattr(self, verb)(argument, step)
                self.tasks[step["as"]] = asyncio.ensure_future(self.observe(step["as"], work))
            elif verb == "await":
                await asyncio.wait([self.tasks[name] for name in argument])
            elif verb == "cancel":
                self.tasks[argument].cancel()
            elif verb == "root":
                params = self.session.params
                value = {name: params[name] for name in ("settings", "attachments", "scratch", "deadlineUnixMs")}
                value["channels"] = {name: self.named[f"run.{name}"].metadata for name in self.ports()}
                self.seen[step["as"]] = {"value": value}
            elif verb == "awaitCancel":
                await asyncio.get_running_loop().create_future()
            elif verb == "print":
                print(argument)
            elif verb == "return":
                return self.filled(argument)
            elif verb == "returnRaw":
                return RAW[argument]()
            elif verb == "fail":
                raise OperationError(argument["code"], argument.get("message", "It failed."), argument.get("details"))
            elif verb == "throw":
                raise RuntimeError(argument)
        raise RuntimeError("the scenario has no end")

    async def observe(self, name, work):
        try:
            self.seen[name] = {"value": await work}
        except asyncio.CancelledError:
            self.seen[name] = {"error": {"code": "CANCELLED"}}
        except OperationError as error:
            details = {} if error.details is None else {"details": error.details}
            self.seen[name] = {"error": {"code": error.code, **details}}
        except CapabilityError as error:
            self.seen[name] = {"declared": {"name": error.error_name, "data": error.data}}
        except (ValueError, TypeError):
            self.seen[name] = {"local": True}

    async def child(self, call, _):
        return await self.call("flow/run-child", call, is_run_result)

    async def capability(self, call, _):
        result = await self.call("capability/call", call, is_capability_result)
        if "error" in result:
            raise CapabilityError(result["error"]["name"], result["error"]["data"])
        return result["value"]

    async def call(self, method, call, is_result):
        params = dict(call)
        if not is_token(call["operationId"]) or not is_name(call["slot"]) or not is_name(call.get("method", "m")):
            raise LocalMistake("a name that is none")
        if not 1 <= len(call.get("intent", "x")) <= 16_384:
            raise LocalMistake("an intent of no or too many characters")
        offered = []
        if "channels" in call:
            offered = [self.named.get(name) for name in call["channels"].values()]
            usable = all(isinstance(each, Endpoint) and not each.used for each in offered)
            if not usable or len(set(offered)) != len(offered) or not all(map(is_name, call["channels"])):
                raise LocalMistake("an endpoint that is none of this Run's, was used, or is mapped twice")
            params["channels"] = {port: self.named[name].token for port, name in call["channels"].items()}
            if not params["channels"]:
                del params["channels"]

        def check(result, _):
            if result is not NOTHING and not is_result(result):
                raise Fatal(f"{method} with an invalid result")

        for each in offered:
            each.offers += 1
        return await self.session.request(method, params, check)

    async def channel(self, options, step):
        made = await self.session.channel(options)
        name = step["as"]
        self.named[f"{name}.send"] = made["send"]
        if "receive" in made:
            self.named[f"{name}.receive"] = made["receive"]
        else:
            self.named[name] = made
        return {end: made[end].metadata for end in ("send", "receive") if end in made}

    async def subscribe(self, name, step):
        receiver = await self.session.subscribe(self.named[name])
        self.named[step["as"]] = receiver
        return receiver.metadata

    async def send(self, argument, _):
        name, value = argument
        await self.named[name].send(value)

    async def next(self, name, _):
        more, value = await self.named[name].next()
        return {"item": value} if more else {"end": True}

    async def iterate(self, name, step):
        items = []
        while (read := await self.named[name].next())[0]:
            items.append(read[1])
            if len(items) == step.get("max"):
                await self.named[name].close()
                break
        return items

    async def close(self, name, _):
        await self.named[name].close()

    def filled(self, value):
        if isinstance(value, list):
            return [self.filled(each) for each in value]
        if not isinstance(value, dict):
            return value
        if list(value) == ["$"]:
            return self.seen.get(value["$"])
        return {name: self.filled(each) for name, each in value.items()}


def deep():
    value = 0
    for _ in range(200):
        value = [value]
    return {"outcome": "done", "output": value}


RAW = {
    "undefined": lambda: None,
    "nan": lambda: {"outcome": "done", "output": math.nan},
    "deep": deep,
    "huge": lambda: {"outcome": "done", "output": "x" * 8_388_609},
    "extra": lambda: {"outcome": "done", "output": None, "more": 1},
    "outcome": lambda: {"outcome": "No Name", "output": None},
}


# The process -----------------------------------------------------------------------------------------------------------


class Input(asyncio.Protocol):
    def __init__(self, session):
        self.session = session

    def data_received(self, data):
        self.session.receive(data)

    def connection_lost(self, exc):
        self.session.ended()


async def serve():
    # The protocol keeps the real stdout; whatever else is written goes to stderr (section 1).
    out = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def write(data):
        view = memoryview(data)
        while view:
            view = view[os.write(out, view) :]

    session = Session(write)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: Input(session), sys.stdin.buffer)
    pump = asyncio.ensure_future(session.pump())
    error = await session.over
    pump.cancel()
    if error is not None:
        print(f"the channel ended: {error}", file=sys.stderr)
    sys.stderr.flush()
    # stdin may still be open: the process ends all the same.
    os._exit(0 if error is None else 1)


if __name__ == "__main__":
    asyncio.run(serve())
