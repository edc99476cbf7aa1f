"""A second adapter for the host kit (conformance/HOST.md), over host.py: written from the contract and Run/1 alone.

    python3 host_job.py [--flaw NAME] JOBFILE

prints the one answer line. What this small host has no part in (schemas, contracts) it declares unsupported. It
reads FLOW.md only as the kit writes it. `--flaw` gives it one fault, so that the kit can be seen to find it. A test tool:
it contains nothing.
"""

import argparse
import asyncio
import json
import os
import signal
import sys
import tempfile
import time

import host
from host import Run, failed
from host_channels import Broker, is_request, refused

UNSUPPORTED = ("schemas", "contracts", "channel-schemas", "channel-contracts")
FIELDS = {"name", "description", "uses", "outcomes", "attachments", "channels"}
POLL = 0.01
FLAWS = set()
INTERPRETERS = {"mjs": "node", "py": "python3"}


class Refused(Exception):
    """Nothing was started."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Package:
    def __init__(self, directory):
        self.directory = directory
        with open(os.path.join(directory, "FLOW.md"), encoding="utf-8") as file:
            lines = file.read().split("---\n")[1].splitlines()
        self.metadata = {}
        for line in lines:
            name, _, value = line.partition(": ")
            if name not in FIELDS:
                raise Refused("PACKAGE_INVALID", f"FLOW.md has an unknown field {name}")
            self.metadata[name] = json.loads(value) if value[0] in '{["' else value
        for use in self.metadata.get("uses", {}).values():
            if use != {"local": True}:
                raise Refused("PACKAGE_INVALID", "this host knows local slots only")
        self.command = self.entrypoint()

    def entrypoint(self):
        names = [name for name in sorted(os.listdir(self.directory)) if name.startswith("flow.") and name.count(".") == 1]
        if len(names) != 1:
            raise Refused("PACKAGE_INVALID", f"{len(names)} implementations")
        path = os.path.join(self.directory, names[0])
        suffix = names[0].partition(".")[2]
        with open(path, "rb") as file:
            first = file.readline().decode("utf-8", "replace").rstrip("\r\n")
        if first.startswith("#!") and first not in ("#!/usr/bin/env node", "#!/usr/bin/env python3"):
            raise Refused("SELECTOR_UNSUPPORTED", first)
        if suffix not in INTERPRETERS:
            raise Refused("RUNTIME_UNSUPPORTED", suffix)
        return [INTERPRETERS[suffix], path]

    def check(self, context):
        declared = self.metadata.get("attachments", {})
        for name, access in declared.items():
            if name not in context["attachments"]:
                raise Refused("ATTACHMENT_MISSING", name)
            if access == "read" and context["attachments"][name]["access"] != "read":
                raise Refused("ATTACHMENT_ACCESS", name)
        if context["attachments"].keys() - declared.keys():
            raise Refused("ATTACHMENT_UNDECLARED", "an attachment that nobody declared")
        if context["settings"]:
            raise Refused("INVALID_SETTINGS", "there is no settings schema")
        # A claim of a contract can't fit a local slot.
        for slot, provider in context["capabilities"].items():
            if slot not in self.metadata.get("uses", {}) or "contract" in provider:
                raise Refused("PROVIDER_MISMATCH", slot)
        for child in context["children"].values():
            Package(child["package"]).check(child)

    def check_channels(self, connected):
        ports = self.metadata.get("channels", {})
        if connected.keys() - ports.keys():
            raise Refused("CHANNEL_UNDECLARED", "a channel that nobody declared")
        for name, port in ports.items():
            if port.get("required", True) and name not in connected:
                raise Refused("CHANNEL_UNCONNECTED", name)


class Job:
    """What one job's Runs share."""

    def __init__(self, job):
        self.deadline = time.time() + job["deadlineMs"] / 1000
        self.grace = job.get("limits", {}).get("graceMs", 2_000) / 1000
        self.broker = Broker()
        self.received = {}
        self.calls = []


class JobRun(Run):
    """One component, root or child, under what the job says about it."""

    def __init__(self, job, package, context, given, process, scratch, grants):
        attachments = context["attachments"]
        super().__init__({"input": given, "attachments": attachments, "settings": context["settings"]}, process, scratch)
        self.job = job
        self.package = package
        self.context = context
        self.grants = grants
        self.waits = {}  # channel request id -> what its cancellation does
        self.timers = []

    def start(self):
        deadline = int(self.job.deadline * 1000)
        if "wide-deadline" in FLAWS and self.context.get("package") is not None and "job" not in self.context:
            deadline += 60_000
        params = {
            "protocol": "run/1",
            "input": self.script["input"],
            "settings": self.script["settings"],
            "attachments": self.script["attachments"],
            "scratch": self.scratch,
            "deadlineUnixMs": deadline,
            **({"channels": self.grants} if self.grants else {}),
        }
        self.send({"id": "host:1", "method": "flow/run", "params": params})

    def send(self, message):
        super().send(message)
        if "answers-twice" in FLAWS and "result" in message:
            super().send(message)

    def receive(self, frame):
        if self.response is not None and "ignores-what-trails" in FLAWS:
            return
        if "forgives-duplicates" in FLAWS:
            frame = json.dumps(json.loads(frame)).encode("utf-8")
        super().receive(frame)

    def request(self, message):
        if "ignores-conflicts" in FLAWS and isinstance(message.get("params"), dict):
            operation = self.operations.get(message["params"].get("operationId"))
            if operation is not None:
                operation.identity = host.canonical([message["method"], message["params"]])
        if "dispatches-anew" in FLAWS and isinstance(message.get("params"), dict):
            self.operations.pop(message["params"].get("operationId"), None)
        if "forgets-params" in FLAWS and isinstance(message.get("params"), dict) and "operationId" not in message["params"]:
            message["params"]["operationId"] = "made-up"
        super().request(message)

    def channel(self, request_id, method, params):
        if method.partition("/")[2] not in ("create", "subscribe", "send", "next", "close", "release"):
            return self.send({"id": request_id, "error": {"code": -32601, "message": "Method not found"}})
        if not is_request(method, params):
            return self.send({"id": request_id, "error": {"code": -32602, "message": "Invalid params"}})
        settles = method in ("channel/close", "channel/release")
        if not settles and self.stopping is not None:
            return self.fail(request_id, "OWNER_CLOSED", "The Run is stopping.")
        if not settles and self.full():
            return self.fail(request_id, "RESOURCE_EXHAUSTED", "64 requests are pending.")
        self.pending[request_id] = None

        def settle(outcome):
            self.pending.pop(request_id, None)
            self.waits.pop(request_id, None)
            self.send({"id": request_id, **outcome})

        cancel = self.job.broker.request(self, method, params, settle)
        if request_id in self.pending:
            self.waits[request_id] = cancel

    def full(self):
        """One place is kept for settling endpoints while there are any."""
        return len(self.pending) >= host.MAX_LIVE - (1 if self.job.broker.owes(self) else 0)

    def join(self, request_id, method, params):
        if self.full():
            return self.fail(request_id, "RESOURCE_EXHAUSTED", "The last place is for settling endpoints.")
        super().join(request_id, method, params)

    def cancel_request(self, params):
        if isinstance(params, dict) and params.get("requestId") in self.waits:
            return self.waits[params["requestId"]]()
        super().cancel_request(params)

    def stop(self, code):
        if self.response is not None or self.stopping is not None:
            return
        self.stopping = code
        self.send({"method": "request/cancel", "params": {"requestId": "host:1"}})
        for operation in self.operations.values():
            if operation.task is not None and not operation.task.done():
                operation.task.cancel()
        self.timers.append(asyncio.get_running_loop().call_later(self.job.grace, self.kill))

    async def answer(self, method, params):
        if method == "flow/run-child":
            child = self.context["children"].get(params["slot"])
            if child is None:
                return failed("UNAVAILABLE", "Nothing is bound to this slot.")
            given = params["input"]
            if "delivers-intent" in FLAWS and "intent" in params:
                given = {"input": given, "intent": params["intent"]}
            report = await run_component(self.job, Package(child["package"]), child, given, self.moved(params))
            if report["status"] == "succeeded":
                return fitting({"outcome": report["outcome"], "output": report["output"]})
            lost = report["code"] in ("PROTOCOL_ERROR", "CHANNEL_LOST")
            return failed("EXECUTION_FAILED" if lost else report["code"], "The child failed.")
        if params["slot"] not in self.package.metadata.get("uses", {}):
            return failed("PERMISSION_DENIED", "FLOW.md declares no such slot.")
        provider = self.context["capabilities"].get(params["slot"])
        if provider is None:
            return failed("UNAVAILABLE", "Nothing is bound to this slot.")
        if params.get("channels"):
            return refused("INVALID_INPUT")  # a local slot declares no ports
        return await self.provide(provider, params)

    def moved(self, params):
        """Moves the rights of a call to the Run that is about to start."""
        return lambda package, callee: self.job.broker.transfer(
            self, params.get("channels", {}), package.metadata.get("channels", {}), callee
        )

    async def provide(self, provider, params):
        seen = {name: params[name] for name in ("slot", "method", "operationId", "input")}
        self.job.calls.append(seen)
        fits = (
            answer
            for answer in provider["answers"]
            if answer.get("method", params["method"]) == params["method"]
            and answer.get("operationId", params["operationId"]) == params["operationId"]
        )
        answer = next(fits, None)
        if answer is None:
            return failed("EXECUTION_FAILED", "The provider has no answer.")
        if "makesFile" in answer:
            open(answer["makesFile"], "w", encoding="utf-8").close()
        try:
            await asyncio.sleep(answer.get("delayMs", 0) / 1000)
            while "afterFile" in answer and not os.path.exists(answer["afterFile"]):
                await asyncio.sleep(POLL)
        except asyncio.CancelledError:
            seen["stopped"] = True
            raise
        if "failure" in answer:
            return failed(**answer["failure"])
        if "crash" in answer:
            return failed("EXECUTION_FAILED", "The provider crashed.")
        if "echo" in answer:
            return {"result": {"value": params["input"]}}
        result = answer["raw"] if "raw" in answer else {name: answer[name] for name in ("value", "error") if name in answer}
        if not is_answer(result):
            return failed("INVALID_RESULT", "The provider's answer is no answer.")
        return fitting(result)

    def root_response(self, message):
        super().root_response(message)
        outcome = message.get("result", {}).get("outcome", "done")
        if outcome != "done" and outcome not in self.package.metadata.get("outcomes", {}):
            self.response = {"error": {"code": -32000, "message": "undeclared", "data": {"code": "INVALID_RESULT"}}}
        elif "result" in message and self.stopping is None and not self.job.broker.finalise(self):
            self.response = failed("EXECUTION_FAILED", "A receiver was abandoned.")
        for operation in self.operations.values():
            if operation.task is not None and not operation.task.done():
                operation.task.cancel()

    async def supervise(self):
        """The Run to its end, also where whoever waits for it is cancelled: a cancelled child still ends first."""
        inner = asyncio.get_running_loop().create_task(self.proceed())
        while not inner.done():
            try:
                await asyncio.shield(inner)
            except asyncio.CancelledError:
                self.stop("CANCELLED")
        return inner.result()

    async def proceed(self):
        loop = asyncio.get_running_loop()
        stdout = loop.create_task(self.read_stdout())
        stderr = loop.create_task(self.read_stderr())
        ended = loop.create_task(self.exit())
        answered = loop.create_task(self.answered.wait())
        self.timers.append(loop.call_later(max(0, self.job.deadline - time.time()), self.stop, "DEADLINE_EXCEEDED"))
        self.start()
        if "closes-stdin" in FLAWS:
            self.process.stdin.close()
        await asyncio.wait((ended, answered, stdout), return_when=asyncio.FIRST_COMPLETED)
        if not self.process.stdin.is_closing():
            self.process.stdin.close()
        await asyncio.wait((ended,), timeout=self.job.grace)
        if not ended.done():
            self.kill()
        exit_code = await ended
        await asyncio.wait((stdout,), timeout=self.job.grace)
        held = not stdout.done()
        for timer in self.timers:
            timer.cancel()
        if "leaves-descendants" not in FLAWS:
            self.sweep()
        await asyncio.wait((stdout, stderr), timeout=1)
        for task in (stdout, stderr, answered):
            task.cancel()
        await self.settle()
        self.job.broker.finish(self)
        return self.verdict(exit_code, held)

    async def exit(self):
        # Process.wait() may wait for the pipes too, which a descendant can hold.
        while self.process.returncode is None:
            await asyncio.sleep(POLL / 2)
        return self.process.returncode

    async def settle(self):
        """Owned work is at rest before there is a verdict."""
        running = [each.task for each in self.operations.values() if each.task is not None and not each.task.done()]
        for task in running:
            task.cancel()
        if running:
            await asyncio.wait(running, timeout=10)

    def verdict(self, exit_code, held):
        undisturbed = self.violation is None and self.stopping is None
        if held and undisturbed:
            return host.failure("EXECUTION_FAILED", "A descendant held stdout.")
        if "calls-a-crash-a-loss" in FLAWS and exit_code != 0 and self.response is None and undisturbed:
            return host.failure("CHANNEL_LOST", "The component is gone.")
        if self.killed and self.response is None and undisturbed:
            return host.failure("CHANNEL_LOST", "The component closed stdout and had to be killed.")
        return self.conclude(exit_code)

    def sweep(self):
        """Whoever is left of the component's group."""
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass


def size_of(value):
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8"))


def fitting(result):
    """A result, if it fits a frame with the longest id a request can have."""
    if size_of({"jsonrpc": "2.0", "id": "c" * 128, "result": result}) > host.MAX_FRAME:
        return failed("RESOURCE_EXHAUSTED", "The answer fits no frame.")
    return {"result": result}


def is_answer(value):
    if not isinstance(value, dict) or len(value) != 1:
        return False
    if "value" in value:
        return True
    error = value.get("error")
    return isinstance(error, dict) and error.keys() == {"name", "data"} and host.is_name(error["name"])


async def run_component(job, package, context, given, move, root=False):
    """`move` gives the new Run its channels before it starts, or says why not."""
    if size_of(given) > host.MAX_FRAME - 512:
        raise Refused("RESOURCE_EXHAUSTED", "The input fits no frame.")
    with tempfile.TemporaryDirectory() as scratch:
        run = JobRun(job, package, context, given, None, scratch, {})
        run.grants, failure = move(package, run)
        if failure is not None:
            data = failure["error"]["data"]
            return {"status": "failed", "code": data["code"], "message": failure["error"]["message"]}
        run.process = await asyncio.create_subprocess_exec(
            *package.command,
            cwd=scratch,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            start_new_session=True,
        )
        if not root:
            return await run.supervise()
        watch = asyncio.get_running_loop().create_task(watch_cancellation(context.get("cancel"), run))
        try:
            return await run.supervise()
        finally:
            watch.cancel()


class Program:
    """The host's own program, at one root port."""

    def __init__(self, broker):
        self.broker = broker

    def ask(self, method, **params):
        settled = asyncio.get_running_loop().create_future()
        self.broker.request(self, f"channel/{method}", params, lambda outcome: settled.done() or settled.set_result(outcome))
        return settled

    async def feed(self, endpoint, items):
        for item in items:
            if "error" in await self.ask("send", endpoint=endpoint, value=item):
                return
        await self.ask("close", endpoint=endpoint)

    async def drain(self, endpoint, received):
        while True:
            outcome = await self.ask("next", endpoint=endpoint)
            if "error" in outcome:
                received["end"] = outcome["error"]["data"]["code"]
                return
            if "end" in outcome["result"]:
                received["end"] = "ended"
                return
            received["items"].append(outcome["result"]["item"]["value"])


def connect(job, channels, tasks):
    """Makes a channel for each root port that the job connects, and keeps the other end busy."""

    def move(package, run):
        grants = {}
        loop = asyncio.get_running_loop()
        for name, wanted in channels.items():
            program = Program(job.broker)
            pair = job.broker.create(program, "direct")["result"]
            given, kept = ("receive", "send") if "items" in wanted else ("send", "receive")
            port = {name: package.metadata["channels"][name]}
            moved, failure = job.broker.transfer(program, {name: pair[given]["endpoint"]}, port, run)
            if failure is not None:
                return None, failure
            grants.update(moved)
            if "items" in wanted:
                tasks.append(loop.create_task(program.feed(pair[kept]["endpoint"], wanted["items"])))
            else:
                received = job.received[name] = {"items": [], "end": None}
                tasks.append(loop.create_task(program.drain(pair[kept]["endpoint"], received)))
        return grants, None

    return move


async def watch_cancellation(condition, run):
    if condition is None:
        return
    await asyncio.sleep(condition.get("afterMs", 0) / 1000)
    while "afterFile" in condition and not os.path.exists(condition["afterFile"]):
        await asyncio.sleep(POLL)
    run.stop("CANCELLED")


async def perform(job):
    missing = [need for need in job["needs"] if need in UNSUPPORTED]
    if missing:
        return {"status": "unsupported", "what": ", ".join(missing)}
    shared, tasks = Job(job), []
    channels = job.get("channels", {})
    try:
        package = Package(job["package"])
        package.check(job)
        package.check_channels(channels)
        move = connect(shared, channels, tasks)
        report = await run_component(shared, package, job, job["input"], move, root=True)
        await asyncio.wait(tasks, timeout=1) if tasks else None
    except Refused as refused:
        return {"status": "refused", "code": refused.code, "message": str(refused), "calls": []}
    told = {"calls": shared.calls, "channels": shared.received}
    if report["status"] == "succeeded":
        return {"status": "accepted", "outcome": report["outcome"], "output": report["output"], **told}
    return {"status": "refused", "code": report["code"], "message": report["message"], **told}


def main():
    parser = argparse.ArgumentParser(description="Run one job of the host kit on a small independent host.")
    parser.add_argument("--flaw", action="append", default=[])
    parser.add_argument("job")
    arguments = parser.parse_args()
    FLAWS.update(arguments.flaw)
    with open(arguments.job, encoding="utf-8") as file:
        job = json.load(file)
    if "hangs" in FLAWS:
        time.sleep(3_600)
    answer = json.dumps(asyncio.run(perform(job)))
    if "says-nothing" not in FLAWS:
        print(answer)
    if "says-more" in FLAWS:
        print("done")


main()
