"""Channels for the small host of host_job.py, written from Run/1 section 5.1 and Channel Contract/1 alone.

One `Broker` decides for everybody; a holder is any object with a `name`. Outcomes go to callbacks as `{"result": ...}` or
`{"error": ...}` members of a response. It checks neither schemas nor contracts. A test tool.
"""

import itertools

from host import failed, is_name, is_token

QUEUED = 16
WAITING = 16
ALLOCATIONS = 16


def result(value):
    return {"result": value}


def refused(code):
    return failed(code, f"The channel says {code}.")


def is_request(method, params):
    """Whether the params of a channel request are valid: otherwise the answer is -32602."""
    if not isinstance(params, dict):
        return False
    if method == "channel/create":
        return (
            params.keys() <= {"delivery", "schema", "contract"}
            and params.get("delivery", "direct") in ("direct", "broadcast")
            and not {"schema", "contract"} <= params.keys()
        )
    names = {"channel/subscribe": {"source"}, "channel/send": {"endpoint", "value"}}.get(method, {"endpoint"})
    return params.keys() == names and is_token(params.get("endpoint", params.get("source")))


class Source:
    """One sequence: its creator, its writer, its readers."""

    def __init__(self, creator, delivery, token):
        self.creator = creator
        self.delivery = delivery
        self.token = token
        self.accepted = 0
        self.sealed = False
        self.failure = None
        self.readers = []
        self.waiting = []  # sends that are not accepted yet: [value, settle]

    @property
    def direct(self):
        return self.delivery == "direct"

    def accept(self, value):
        self.accepted += 1
        for reader in self.readers:
            reader.put(self.accepted, value)

    def admit(self):
        """Waiting sends go in as room allows."""
        while self.waiting and self.failure is None and self.readers[0].room:
            value, settle = self.waiting.pop(0)
            self.accept(value)
            settle(result(None))

    def seal(self):
        self.sealed = True
        for reader in self.readers:
            reader.advance()

    def fail(self, code, everything=False):
        """An abort; `everything` revokes what was sealed as well."""
        if self.failure is None and (everything or not self.sealed):
            self.failure = code
        for _, settle in self.waiting:
            settle(refused(code))
        self.waiting = []
        for reader in self.readers:
            if everything or not self.sealed:
                reader.fail(code)


class End:
    """One endpoint."""

    def __init__(self, token, source, direction, holder, start=1):
        self.token = token
        self.source = source
        self.direction = direction
        self.holder = holder
        self.start = start
        self.used = False
        self.inherited = False
        self.subscribed = False
        # Of a receiver.
        self.items = []
        self.delivered = start - 1
        self.in_flight = 0
        self.read = None
        self.over = None  # what a release says, once it is settled

    @property
    def room(self):
        return self.over is not None or len(self.items) + self.in_flight < QUEUED

    @property
    def live(self):
        return self.over is None

    def grant(self):
        start = {"startSequence": self.start} if self.direction == "receive" else {}
        return {"endpoint": self.token, "direction": self.direction, "delivery": self.source.delivery, **start}

    def put(self, sequence, value):
        if self.over is not None:
            return
        if not self.source.direct and not self.room:
            self.fail("LAGGED")
            return
        self.items.append((sequence, value))
        self.advance()

    def advance(self):
        """Settles the read that waits, if there is something to settle it with."""
        if self.read is None or self.over is not None:
            return
        if self.items:
            sequence, value = self.items.pop(0)
            self.delivered, self.in_flight = sequence, 1
            self.answer({"result": {"item": {"sequence": sequence, "value": value}}})
        elif self.source.sealed:
            self.over = {"status": "ended", "lastSequence": self.delivered}
            self.answer({"result": {"end": {"lastSequence": self.delivered}}})

    def answer(self, outcome):
        settle, self.read = self.read, None
        settle(outcome)

    def fail(self, code):
        if self.over is not None:
            return
        self.over = {"status": "failed", "code": code}
        self.items = []
        if self.read is not None:
            self.answer(refused(code))

    def dispose(self):
        if self.over is None:
            self.over = {"status": "released"}
            self.items = []
            if self.read is not None:
                self.answer(refused("CANCELLED"))
            if self.source.direct:
                for _, settle in self.source.waiting:
                    settle(refused("DISCONNECTED"))
                self.source.waiting = []
        return self.over


class Broker:
    def __init__(self):
        self.tokens = itertools.count(1)
        self.ends = {}
        self.sources = {}
        self.allocated = {}

    def held(self, holder):
        return [end for end in self.ends.values() if end.holder is holder]

    def owes(self, holder):
        """Whether there is anything left that needs a place to be settled in."""
        return any(
            end.live if end.direction == "receive" else not end.source.sealed and end.source.failure is None
            for end in self.held(holder)
        )

    def token(self, kind):
        return f"{kind}:{next(self.tokens)}"

    def end(self, holder, token, direction):
        end = self.ends.get(token)
        return end if end is not None and end.holder is holder and end.direction == direction else None

    def add(self, source, direction, holder, start=1):
        end = End(self.token("end"), source, direction, holder, start)
        self.ends[end.token] = end
        if direction == "receive":
            source.readers.append(end)
        return end

    def allocate(self, holder, kind):
        used = self.allocated[id(holder), kind] = self.allocated.get((id(holder), kind), 0) + 1
        return used <= ALLOCATIONS

    def request(self, holder, method, params, settle):
        """Gives what a cancellation of the request does, or None where it was settled at once."""
        verb = method.partition("/")[2]
        if verb == "create":
            return settle(self.create(holder, params.get("delivery", "direct")))
        if verb == "subscribe":
            return settle(self.subscribe(holder, params["source"]))
        end = self.end(holder, params["endpoint"], "send" if verb in ("send", "close") else "receive")
        if end is None:
            return settle(refused("PERMISSION_DENIED"))
        end.used = True
        return getattr(self, verb)(end, params, settle)

    def create(self, holder, delivery):
        if not self.allocate(holder, "source") or (delivery == "direct" and not self.allocate(holder, "receiver")):
            return refused("RESOURCE_EXHAUSTED")
        source = Source(holder, delivery, self.token("source"))
        self.sources[source.token] = source
        send = self.add(source, "send", holder).grant()
        if delivery == "broadcast":
            return result({"send": send, "source": source.token})
        return result({"send": send, "receive": self.add(source, "receive", holder).grant()})

    def subscribe(self, holder, token):
        source = self.sources.get(token)
        if source is None or source.creator is not holder or source.direct:
            return refused("PERMISSION_DENIED")
        if source.sealed or source.failure is not None:
            return refused("OWNER_CLOSED")
        if not self.allocate(holder, "receiver"):
            return refused("RESOURCE_EXHAUSTED")
        end = self.add(source, "receive", holder, source.accepted + 1)
        end.subscribed = True
        return result(end.grant())

    def send(self, end, params, settle):
        source = end.source
        if source.failure is not None:
            return settle(refused(source.failure))
        if source.sealed:
            return settle(refused("OWNER_CLOSED"))
        if not source.direct:
            source.accept(params["value"])
            return settle(result(None))
        reader = source.readers[0]
        if reader.over is not None:
            return settle(refused("DISCONNECTED"))
        if reader.room and not source.waiting:
            source.accept(params["value"])
            return settle(result(None))
        if len(source.waiting) >= WAITING:
            return settle(refused("RESOURCE_EXHAUSTED"))
        entry = [params["value"], settle]
        source.waiting.append(entry)

        def retract():
            if entry in source.waiting:
                source.waiting.remove(entry)
                settle(refused("CANCELLED"))

        return retract

    def next(self, end, params, settle):
        if end.read is not None:
            return settle(refused("INVALID_INPUT"))
        if end.over is not None:
            code = end.over.get("code")
            return settle(refused(code or "DISCONNECTED"))
        end.in_flight = 0
        end.read = settle
        end.advance()
        end.source.admit()
        return end.dispose if end.read is not None else None

    def close(self, end, params, settle):
        source = end.source
        if source.sealed:
            return settle(result(None))
        if source.failure is not None:
            return settle(refused(source.failure))
        if source.direct and source.readers[0].over is not None:
            return settle(refused("DISCONNECTED"))
        if source.waiting:
            return settle(refused("INVALID_INPUT"))
        source.seal()
        return settle(result(None))

    def release(self, end, params, settle):
        return settle(result(end.dispose()))

    def transfer(self, holder, mapping, ports, callee):
        """Moves all rights of a call's map or none. Gives the grants, or the failure."""
        ends = [self.ends.get(token) for token in mapping.values()]
        for end in ends:
            if end is None or end.holder is not holder or end.used:
                return None, refused("PERMISSION_DENIED")
        if len({id(end) for end in ends}) != len(ends):
            return None, refused("PERMISSION_DENIED")
        for name, port in ports.items():
            if port.get("required", True) and name not in mapping:
                return None, refused("INVALID_INPUT")
        for name, end in zip(mapping, ends):
            port = ports.get(name)
            fits = (
                port is not None
                and port["direction"] == end.direction
                and port.get("delivery", end.source.delivery) == end.source.delivery
                and (end.direction == "send" or port.get("start") == "suffix" or end.start == 1)
            )
            if not fits:
                return None, refused("INVALID_INPUT")
            if end.source.failure is not None or (end.direction == "receive" and end.over is not None):
                return None, refused("DISCONNECTED")
        for end in ends:
            end.holder, end.inherited = callee, True
        return {name: end.grant() for name, end in zip(mapping, ends)}, None

    def finalise(self, holder):
        """The holder's result is good so far: whether its duties are done. Seals what it left open."""
        for end in self.held(holder):
            if end.direction == "receive" and end.over is None and self.active(end):
                return False
        for end in self.held(holder):
            source = end.source
            if end.direction == "send" and not source.sealed and source.failure is None:
                if not source.direct or source.readers[0].over is None:
                    source.seal()
        return True

    def active(self, end):
        if end.inherited or end.subscribed or end.used:
            return True
        writer = next(each for each in self.ends.values() if each.source is end.source and each.direction == "send")
        return writer.used or writer.inherited

    def finish(self, holder):
        """The holder is over: its writers abort, its receivers are disposed, its sources are revoked."""
        for end in self.held(holder):
            if end.direction == "receive":
                end.dispose()
            else:
                end.source.fail("OWNER_CLOSED")
        for source in self.sources.values():
            if source.creator is holder:
                source.fail("OWNER_CLOSED", everything=True)
