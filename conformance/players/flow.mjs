// A component that does what its script says, byte by byte (HOST.md). It uses no SDK and nothing but Node's own modules, so
// that what it writes is exactly what a case means. `flow.py` plays the same scripts.
import { spawn } from "node:child_process";
import {
	appendFileSync,
	closeSync,
	existsSync,
	openSync,
	readdirSync,
	readFileSync,
	writeFileSync,
	writeSync,
} from "node:fs";

const SCRIPT = null;

const { evidence, name, patienceMs, lean } = SCRIPT;
const LOGGED_BYTES = 65_536;
const POLL_MS = 5;

// Evidence --------------------------------------------------------------------------------------------------------------

function log(entry) {
	appendFileSync(`${evidence}/${name}.ndjson`, `${JSON.stringify({ pid: process.pid, ...entry })}\n`);
}

/** When a process was started, in the system's own ticks; with its id it names one process for ever. */
function born(pid) {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
		return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
	} catch {
		return null;
	}
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

class Stuck extends Error {}

// Frames from the host --------------------------------------------------------------------------------------------------

const bound = new Map();
const counts = { in: 0, out: 0 };
let cancelled = false;
let ended = false;
let rest = [];
let waiting = () => {};

function receive(line) {
	counts.in += 1;
	let frame;
	try {
		frame = JSON.parse(line.toString("utf8"));
	} catch {
		frame = null;
	}
	if (!lean || frame?.method !== undefined) {
		if (line.length <= LOGGED_BYTES) log({ t: "in", b64: line.toString("base64") });
		else log({ t: "in", bytes: line.length, id: frame?.id ?? null, method: frame?.method ?? null });
	}
	if (frame?.method === "flow/run") bound.set("root", frame);
	else if (frame?.method === "request/cancel") cancelled = true;
	else if (typeof frame?.id === "string") bound.set(frame.id, frame);
}

function listen() {
	process.stdin.on("data", (chunk) => {
		let start = 0;
		for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
			rest.push(chunk.subarray(start, end));
			receive(Buffer.concat(rest));
			rest = [];
			start = end + 1;
		}
		if (start < chunk.length) rest.push(chunk.subarray(start));
		waiting();
	});
	const over = (why) => {
		if (ended) return;
		ended = true;
		log({ t: "eof", ...(why === undefined ? {} : { why }) });
		waiting();
	};
	process.stdin.on("end", () => over());
	process.stdin.on("error", (error) => over(error.code));
}

/** Waits until `ready` holds; `what` is told where it never does. */
async function until(ready, what) {
	const limit = Date.now() + patienceMs;
	while (!ready()) {
		const left = limit - Date.now();
		if (left <= 0) throw new Stuck(what);
		await new Promise((resolve) => {
			const timer = setTimeout(resolve, left);
			waiting = () => {
				clearTimeout(timer);
				resolve();
			};
		});
	}
}

// Values ----------------------------------------------------------------------------------------------------------------

function look(path, scope) {
	const [first, ...members] = path.split(".");
	let value = first === "i" ? scope.i : bound.get(first);
	for (const member of members) value = value?.[member];
	if (value === undefined) throw new Error(`nothing is bound to ${path}`);
	return value;
}

const RULES = {
	$: (path, scope) => look(path, scope),
	$text: (parts, scope) => parts.map((part) => String(resolve(part, scope))).join(""),
	$concat: (parts, scope) => parts.map((part) => String(resolve(part, scope))).join(""),
	$repeat: ([part, times], scope) => resolve(part, scope).repeat(times),
	$list: ([item, times], scope) => Array.from({ length: times }, () => resolve(item, scope)),
	$members: ([prefix, times, value], scope) =>
		Object.fromEntries(Array.from({ length: times }, (_, index) => [`${prefix}${index}`, resolve(value, scope)])),
	$nest: ([times, value], scope) => {
		let nested = resolve(value, scope);
		for (let depth = 0; depth < times; depth += 1) nested = [nested];
		return nested;
	},
};

function resolve(value, scope) {
	if (Array.isArray(value)) return value.map((item) => resolve(item, scope));
	if (typeof value !== "object" || value === null) return value;
	const names = Object.keys(value);
	if (names.length === 1 && Object.hasOwn(RULES, names[0])) return RULES[names[0]](value[names[0]], scope);
	return Object.fromEntries(names.map((each) => [each, resolve(value[each], scope)]));
}

// Bytes to the host -----------------------------------------------------------------------------------------------------

const encode = (value) => Buffer.from(JSON.stringify(value), "utf8");
const LF = Buffer.from("\n");

/** A frame with its LF; with `padTo` it has exactly so many bytes before it, by white space inside the object. */
function frame(value, padTo) {
	counts.out += 1;
	if (!lean && value?.id !== undefined) log({ t: "out", id: value.id, method: value.method ?? null });
	const bytes = encode(value);
	if (padTo === undefined) return Buffer.concat([bytes, LF]);
	return Buffer.concat([bytes.subarray(0, -1), Buffer.alloc(padTo - bytes.length, 0x20), bytes.subarray(-1), LF]);
}

const message = (members) => ({ jsonrpc: "2.0", ...members });

function request(method, { id, ...params }) {
	return message({ id, method, params });
}

function data(given, scope) {
	if (Array.isArray(given)) return Buffer.concat(given.map((part) => data(part, scope)));
	if ("hex" in given) return Buffer.from(given.hex, "hex");
	if ("json" in given) return encode(resolve(given.json, scope));
	if ("times" in given) return Buffer.concat(Array(given.times).fill(data(given.part, scope)));
	return Buffer.from(resolve(given.text, scope), "utf8");
}

function answering(members) {
	log({ t: "answering" });
	return message({ id: look("root.id", {}), ...members });
}

const error = (code, details) => ({
	code: -32000,
	message: "As the script says.",
	data: { code, ...(details === undefined ? {} : { details }) },
});

/** The steps that write: what each makes of its value. */
const WRITERS = {
	send: (value, scope, { padTo }) => frame(message(resolve(value, scope)), padTo),
	frame: (value, scope, { padTo }) => frame(resolve(value, scope), padTo),
	capability: (value, scope) => frame(request("capability/call", resolve(value, scope))),
	child: (value, scope) => frame(request("flow/run-child", resolve(value, scope))),
	channel: (value, scope) => {
		const { do: verb, ...rest } = resolve(value, scope);
		return frame(request(`channel/${verb}`, rest));
	},
	cancel: (id, scope) => frame(message({ method: "request/cancel", params: { requestId: resolve(id, scope) } })),
	result: (output, scope, { padTo, outcome = "done" }) =>
		frame(answering({ result: { outcome, output: resolve(output, scope) } }), padTo),
	fail: (code, scope, { details }) => frame(answering({ error: error(code, resolve(details, scope)) })),
	answer: (members, scope, { padTo }) => frame(answering(resolve(members, scope)), padTo),
	/** The answer to the root with these bytes for its output. */
	output: (given, scope) => {
		const [before, after] = JSON.stringify(answering({ result: { outcome: "done", output: 0 } })).split(/0(?=\}\}$)/);
		return Buffer.concat([Buffer.from(before), data(given, scope), Buffer.from(`${after}\n`)]);
	},
	write: (given, scope) => data(given, scope),
	together: (steps, scope) => Buffer.concat(steps.map((step) => bytesOf(step, scope))),
};

function bytesOf(step, scope) {
	const verb = Object.keys(step)[0];
	if (!Object.hasOwn(WRITERS, verb)) throw new Error(`${verb} writes nothing`);
	return WRITERS[verb](step[verb], scope, step);
}

async function write(bytes, { chunk = bytes.length, pauseMs = 0 }) {
	for (let start = 0; start < bytes.length; start += chunk) {
		if (start > 0 && pauseMs > 0) await pause(pauseMs);
		let at = start;
		const end = Math.min(start + chunk, bytes.length);
		while (at < end) {
			try {
				at += writeSync(1, bytes, at, end - at);
			} catch (failure) {
				if (failure.code !== "EAGAIN") {
					log({ t: "write-failed", code: failure.code });
					return false;
				}
				await pause(1);
			}
		}
	}
	return true;
}

// Steps that do something else --------------------------------------------------------------------------------------------

const ACTIONS = {
	root: () => until(() => bound.has("root"), "flow/run"),
	await: async (ids, scope) => {
		for (const id of [resolve(ids, scope)].flat()) await until(() => bound.has(id), `the answer to ${id}`);
	},
	awaitCancel: () => until(() => cancelled, "request/cancel"),
	awaitEof: () => until(() => ended, "the end of stdin"),
	mark: (mark) => writeFileSync(`${evidence}/${mark}`, ""),
	awaitMark: async (mark) => {
		const limit = Date.now() + patienceMs;
		while (!existsSync(`${evidence}/${mark}`)) {
			if (Date.now() > limit) throw new Stuck(`the mark ${mark}`);
			await pause(POLL_MS);
		}
	},
	pause: (ms) => pause(ms),
	/** What an attachment's root shows: the file `content`, and whether it may be changed. */
	view: (path, scope) => {
		const root = resolve(path, scope);
		const content = readFileSync(`${root}/content`, "utf8");
		log({ t: "note", value: content });
	},
	scratch: (path, scope) => {
		const root = resolve(path, scope);
		const empty = readdirSync(root).length === 0;
		writeFileSync(`${root}/kept`, "as written");
		log({ t: "note", value: { empty, kept: readFileSync(`${root}/kept`, "utf8") } });
	},
	note: (value, scope) => log({ t: "note", value: resolve(value, scope) }),
	loop: async (times, scope, step) => {
		for (let i = 1; i <= times; i += 1) await play(step.do, { ...scope, i });
	},
	ignoreTerm: () => {
		process.on("SIGTERM", () => log({ t: "term" }));
	},
	hang: () => new Promise(() => {}),
	closeStdout: () => {
		closeSync(1);
		openSync("/dev/null", "w");
	},
	deaf: () => process.stdin.pause(),
	stderr: (given, scope) => {
		const bytes = data(given, scope);
		try {
			for (let at = 0; at < bytes.length; ) at += writeSync(2, bytes, at);
		} catch (failure) {
			log({ t: "write-failed", code: failure.code });
		}
	},
	flood: async ({ to, bytes }) => {
		const piece = frame(message({ method: "kit/flood", params: ["x".repeat(65_000)] }));
		for (let sent = 0; sent < bytes; sent += piece.length) {
			if (to === "stderr") ACTIONS.stderr({ text: "x".repeat(piece.length) }, {});
			else if (!(await write(piece, {}))) return;
			await pause(0);
		}
	},
	/** A process that outlives this one, deaf to SIGTERM, with our stdout in its hands or without. */
	spawn: ({ holdsStdout = false, seconds = 30, apart = false }) => {
		const stdio = ["ignore", holdsStdout ? 1 : "ignore", "ignore"];
		const { pid } = spawn("/bin/sh", ["-c", `trap "" TERM; exec sleep ${seconds}`], { stdio, detached: apart });
		log({ t: "spawned", of: pid, born: born(pid) });
	},
	exit: (code) => end(code),
	die: async (signal) => {
		log({ t: "end", signal });
		process.kill(process.pid, signal);
		await new Promise(() => {});
	},
};

async function play(steps, scope) {
	for (const step of steps) {
		const verb = Object.keys(step)[0];
		if (scope.i === undefined) log({ t: "step", step: JSON.stringify(step).slice(0, 100) });
		if (Object.hasOwn(ACTIONS, verb)) await ACTIONS[verb](step[verb], scope, step);
		else await write(bytesOf(step, scope), step);
	}
}

function end(code) {
	log({ t: "end", code, ...counts });
	process.exit(code);
}

// A player that everybody has forgotten ends by itself.
setTimeout(() => end(72), SCRIPT.lifetimeMs);
log({ t: "start", born: born(process.pid), cwd: process.cwd() });
try {
	listen();
	await play(SCRIPT.steps, {});
	end(0);
} catch (failure) {
	if (failure instanceof Stuck) log({ t: "stuck", what: failure.message });
	else log({ t: "fault", message: String(failure?.stack ?? failure) });
	end(70);
}
