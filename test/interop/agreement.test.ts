/**
 * Two components that share no code, our SDK and the Python example package, are told the same bytes and must answer
 * alike: the same frames, the same exit (Run/1 section 1, its state table, sections 3, 8 and 9).
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPython } from "../house/python.ts";
import { vectors } from "../house/vectors.ts";

const repository = fileURLToPath(new URL("../../", import.meta.url));
const directory = mkdtempSync(join(tmpdir(), "millrace-agreement-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const components: [name: string, command: readonly string[]][] = [
	["our SDK", [process.execPath, join(directory, "greet.mjs")]],
];
if (hasPython)
	components.push(["the Python example", ["python3", "-B", join(repository, "demo/flows/greet-python/flow.py")]]);

beforeAll(() => {
	const sdk = join(repository, "dist/adapters/node/sdk.js");
	if (!existsSync(sdk)) throw new Error("The SDK isn't built: run `npm run build` first.");
	writeFileSync(
		join(directory, "greet.mjs"),
		`import { handle } from ${JSON.stringify(sdk)};
		await handle(async ({ input }) => ({ outcome: "done", output: { greeting: "Hello, " + input.name + "!", received: input } }));`,
	);
});

interface End {
	/** Each frame as its outcome or its error code. */
	readonly answers: readonly (string | number)[];
	readonly exit: number | null;
}

/** Writes `bytes`, and ends stdin only when asked to or when the component has had its time. */
function tell(command: readonly string[], bytes: Uint8Array, end: boolean): Promise<End> {
	const [executable, ...parts] = command;
	const child = spawn(executable!, parts, { stdio: ["pipe", "pipe", "ignore"] });
	child.stdin.on("error", () => {});
	if (end) child.stdin.end(bytes);
	else child.stdin.write(bytes);
	let out = "";
	child.stdout.on("data", (chunk) => {
		out += chunk;
	});
	return new Promise((resolve) => {
		child.on("close", (exit) => {
			const frames = out.split("\n");
			expect(frames.pop()).toBe("");
			resolve({ answers: frames.map((frame) => answerOf(JSON.parse(frame))), exit });
		});
	});
}

function answerOf(message: { id: unknown; result?: { outcome: string }; error?: { code: number } }): string | number {
	expect([null, "host:1", "host:0"]).toContain(message.id);
	return message.result?.outcome ?? message.error!.code;
}

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const frame = (value: unknown): string => `${JSON.stringify(value)}\n`;
const params = {
	protocol: "run/1",
	input: { name: "Ada" },
	settings: {},
	attachments: {},
	scratch: "/scratch",
	deadlineUnixMs: 0,
};
const root = (more: object = {}): string =>
	frame({ jsonrpc: "2.0", id: "host:1", method: "flow/run", params: { ...params, ...more } });
const request = (method: string, id = "host:0"): string => frame({ jsonrpc: "2.0", id, method, params: {} });
const cancel = (value: unknown): string => frame({ jsonrpc: "2.0", method: "request/cancel", params: value });
const done: End = { answers: ["done"], exit: 0 };
const silent: End = { answers: [], exit: 1 };
const parse: End = { answers: [-32700], exit: 1 };
const envelope: End = { answers: [-32600], exit: 1 };
const refused: End = { answers: [-32602], exit: 0 };
const failed: End = { answers: [-32000], exit: 0 };
const unknown: End = { answers: [-32601, "done"], exit: 0 };
const deep = (levels: number): string => "[".repeat(levels) + "]".repeat(levels);

const cases: [string, string, End][] = [
	["a root", root(), done],
	["a root with spaces and CRs around its tokens", root().replaceAll(":{", " : \r{ "), done],
	["escaped and raw scalars", root({ input: { name: "\u8bfb\u{1F600}" } }), done],
	["an empty channel map", root({ channels: {} }), done],
	["numbers in every spelling", root().replace('"Ada"', '"Ada","n":[-0,1.0,1e2,1e-400,9007199254740991]'), done],
	["an input whose answer is as deep as its frame allows", root().replace('"Ada"', `"Ada","n":${deep(124)}`), done],
	["an input that fits and whose answer doesn't", root().replace('"Ada"', `"Ada","n":${deep(125)}`), failed],

	["a frame nested one level too deep", root().replace('"Ada"', `"Ada","n":${deep(126)}`), parse],
	["a frame nested to exhaustion", `${deep(100_000)}\n`, parse],
	["an empty frame", "\n", parse],
	["two values in a frame", "{} {}\n", parse],
	["an unsafe integer", root().replace('"Ada"', "9007199254740992"), parse],
	["a number beyond binary64", root().replace('"Ada"', "1e400"), parse],
	["a number token of 129 bytes", root().replace('"Ada"', `0.${"1".repeat(127)}`), parse],
	["a duplicate member, one escaped", root().replace('"Ada"', '"Ada","\\u006eame":1'), parse],
	["a lone surrogate", root().replace('"Ada"', '"\\ud800"'), parse],
	["a name of 1,025 bytes", root().replace('"Ada"', `"Ada","${"n".repeat(1_025)}":1`), parse],
	["NaN", root().replace('"Ada"', "NaN"), parse],
	["a raw control character in a string", root().replace("Ada", "A\u0001da"), parse],

	["a batch", `[${root().trim()}]\n`, envelope],
	["an empty batch", "[]\n", envelope],
	["null", "null\n", envelope],
	["no jsonrpc", frame({ id: "host:1", method: "flow/run", params }), envelope],
	["a numeric id", frame({ jsonrpc: "2.0", id: 1, method: "flow/run", params }), envelope],
	["a null id", frame({ jsonrpc: "2.0", id: null, method: "flow/run", params }), envelope],
	["an id with a line end", frame({ jsonrpc: "2.0", id: "a\n", method: "flow/run", params }), envelope],
	["null params", frame({ jsonrpc: "2.0", id: "host:1", method: "flow/run", params: null }), envelope],
	["scalar params of a notification", frame({ jsonrpc: "2.0", method: "x", params: 1 }), envelope],
	[
		"an unknown envelope member",
		frame({ jsonrpc: "2.0", id: "host:1", method: "flow/run", params, extra: 1 }),
		envelope,
	],

	["an unknown method, then the root", request("flow/stop") + root(), unknown],
	["request/cancel in request form", request("request/cancel") + root(), unknown],
	["a component's method in the wrong direction", request("capability/call") + root(), unknown],
	["notifications, flow/run's form among them", frame({ jsonrpc: "2.0", method: "flow/run", params }) + root(), done],
	["a cancellation before the root", cancel({ requestId: "host:1" }) + root(), done],
	["a cancellation of nothing", cancel({ requestId: "host:9" }) + root(), done],

	["a cancellation without params", frame({ jsonrpc: "2.0", method: "request/cancel" }), silent],
	["a cancellation with another member", cancel({ requestId: "host:1", why: "x" }), silent],
	["a cancellation with a numeric id", cancel({ requestId: 1 }), silent],
	["a cancellation with array params", cancel(["host:1"]), silent],
	["a response to nothing", frame({ jsonrpc: "2.0", id: "component:1", result: { value: 1 } }), silent],

	["another protocol", root({ protocol: "run/2" }), refused],
	["no input", root({ input: undefined }), refused],
	["settings that are no object", root({ settings: [] }), refused],
	["an empty scratch", root({ scratch: "" }), refused],
	["a negative deadline", root({ deadlineUnixMs: -1 }), refused],
	["a fractional deadline", root({ deadlineUnixMs: 0.5 }), refused],
	["an unknown member", root({ runId: "x" }), refused],
	["an attachment with an unknown access", root({ attachments: { a: { path: "/a", access: "write" } } }), refused],
	["an attachment in upper case", root({ attachments: { A: { path: "/a", access: "read" } } }), refused],
	["array params", frame({ jsonrpc: "2.0", id: "host:1", method: "flow/run", params: [] }), refused],
	["no params", frame({ jsonrpc: "2.0", id: "host:1", method: "flow/run" }), refused],
];

describe.each(components)("%s", (_name, command) => {
	it.concurrent.each(cases)("%s", async (_case, bytes, expected) => {
		expect(await tell(command, text(bytes), false)).toEqual(expected);
	});

	it.concurrent("a request id used twice ends the Run; the first answer may have left", async () => {
		const { answers, exit } = await tell(command, text(request("x", "host:1") + root()), false);
		expect([[], [-32601]]).toContainEqual(answers);
		expect(exit).toBe(1);
	});

	it.concurrent("invalid UTF-8 is never answered", async () => {
		expect(await tell(command, Uint8Array.of(0x7b, 0xff, 0x7d, 10), false)).toEqual(silent);
	});

	it.concurrent("a byte order mark is a parse error", async () => {
		expect(await tell(command, Uint8Array.of(0xef, 0xbb, 0xbf, ...text(root())), false)).toEqual(parse);
	});

	it.concurrent("a frame over 16 MiB is never answered", async () => {
		expect(await tell(command, text(`"${"x".repeat(16_777_216)}"`), false)).toEqual(silent);
	});

	it.concurrent.each([
		["nothing", ""],
		["half a frame", '{"jsonrpc"'],
		["a notification", frame({ jsonrpc: "2.0", method: "x" })],
	])("end of input after %s", async (_case, bytes) => {
		expect(await tell(command, text(bytes), true)).toEqual(silent);
	});

	const framing = vectors("run-1/framing.json") as { invalid: { name: string; hex: string }[] } | undefined;
	it.concurrent.each(framing?.invalid ?? [])("the standard's $name", async ({ name, hex }) => {
		const told = await tell(command, Uint8Array.from(Buffer.from(hex, "hex")), name === "eof-before-line-feed");
		expect(told).toEqual(name === "invalid-utf8" || name === "eof-before-line-feed" ? silent : parse);
	});
});
