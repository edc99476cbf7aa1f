/** Our components under a host written from the specification alone (host.py), over real pipes; and that host's own manners. */
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import ts from "typescript";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hasPython } from "../house/python.ts";

const run = promisify(execFile);
const repository = fileURLToPath(new URL("../../", import.meta.url));
const flows = join(repository, "demo/flows");
const directory = mkdtempSync(join(tmpdir(), "millrace-interop-"));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Report {
	readonly status: "succeeded" | "failed";
	readonly outcome?: string;
	readonly output?: unknown;
	readonly code?: string;
	readonly details?: unknown;
	readonly calls: readonly Record<string, unknown>[];
	readonly exitCode: number;
	readonly stderr: string;
}

let scripts = 0;

/** Runs `command` under host.py with `script` and returns what it reports. */
async function underHost(command: readonly string[], script: Record<string, unknown>): Promise<Report> {
	const path = join(directory, `script-${scripts++}.json`);
	writeFileSync(path, JSON.stringify(script));
	const host = join(repository, "test/interop/host.py");
	const { stdout } = await run("python3", [host, "--script", path, "--", ...command], { maxBuffer: 64 * 1024 * 1024 });
	return JSON.parse(stdout);
}

/** Strips the types of an example package's flow.ts, beside a node_modules that holds the built SDK under both names. */
function strip(name: string): readonly string[] {
	const source = readFileSync(join(flows, name, "flow.ts"), "utf8");
	return [process.execPath, write(name, source)];
}

function write(name: string, source: string): string {
	const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
	const path = join(directory, `${name}.mjs`);
	writeFileSync(path, ts.transpileModule(source, { compilerOptions: options }).outputText);
	return path;
}

/** An inline component, importing the SDK by its public name. */
function component(name: string, body: string): readonly string[] {
	const source = `import { handle, OperationError, CapabilityError } from "millrace/sdk";\n${body}`;
	return [process.execPath, write(name, source)];
}

beforeAll(() => {
	const sdk = join(repository, "dist/adapters/node/sdk.js");
	if (!existsSync(sdk)) throw new Error("The SDK isn't built: run `npm run build` first.");
	const facade = `export * from ${JSON.stringify(sdk)};\n`;
	for (const [name, entry] of [
		["@jigging/flow", "."],
		["millrace", "./sdk"],
	] as const) {
		const at = join(directory, "node_modules", name);
		mkdirSync(at, { recursive: true });
		writeFileSync(join(at, "index.js"), facade);
		writeFileSync(join(at, "package.json"), JSON.stringify({ type: "module", exports: { [entry]: "./index.js" } }));
	}
});

describe.skipIf(!hasPython)("the example packages", () => {
	const python = ["python3", "-B", join(flows, "greet-python/flow.py")];
	const greeting = { greeting: "Hello, Ada!", received: { name: "Ada" } };

	it.each([
		["greet", () => strip("greet")],
		["greet-python", () => python],
	])("%s greets", async (_name, command) => {
		const report = await underHost(command(), { input: { name: "Ada" } });
		expect(report).toMatchObject({ status: "succeeded", outcome: "done", output: greeting, exitCode: 0, stderr: "" });
	});

	it("parent asks the capability, then the child", async () => {
		const report = await underHost(strip("parent"), {
			input: { name: "Ada" },
			capabilities: { "titles.lookup": { value: { title: "Countess" } } },
			children: { greeter: { result: { outcome: "done", output: { greeting: "Hello, Countess Ada!" } } } },
		});
		expect(report).toMatchObject({
			status: "succeeded",
			output: { greeting: "Hello, Countess Ada!", title: "Countess" },
		});
		expect(report.calls).toEqual([
			{ method: "lookup", operationId: "title:1", slot: "titles", input: { name: "Ada" } },
			{
				method: "flow/run-child",
				operationId: "greet:1",
				slot: "greeter",
				intent: "Greet this person.",
				input: { name: "Countess Ada" },
			},
		]);
	});

	const greeter = { greeter: { result: { outcome: "done", output: { greeting: "Hello, Ada!" } } } };
	it.each([
		["knows no title", { "titles.lookup": { error: { name: "unknown-name", data: { name: "Ada" } } } }],
		["is not bound", {}],
	])("parent goes without a title where the capability %s", async (_name, capabilities) => {
		const report = await underHost(strip("parent"), { input: { name: "Ada" }, capabilities, children: greeter });
		expect(report).toMatchObject({ status: "succeeded", output: { greeting: "Hello, Ada!", title: null } });
	});

	it("parent fails as its calls do", async () => {
		const refused = { "titles.lookup": { failure: { code: "PERMISSION_DENIED", message: "No." } } };
		const denied = await underHost(strip("parent"), {
			input: { name: "Ada" },
			capabilities: refused,
			children: greeter,
		});
		expect(denied).toMatchObject({ status: "failed", code: "PERMISSION_DENIED", exitCode: 0 });
		const childless = await underHost(strip("parent"), { input: { name: "Ada" } });
		expect(childless).toMatchObject({ status: "failed", code: "UNAVAILABLE", exitCode: 0 });
	});
});

describe.skipIf(!hasPython)("our component under another host", () => {
	it("is cancelled during a call: the call is withdrawn, the answer CANCELLED, the exit clean", async () => {
		const report = await underHost(strip("parent"), {
			input: { name: "Ada" },
			cancelOnCall: 1,
			capabilities: { "titles.lookup": { hang: true } },
		});
		expect(report).toMatchObject({ status: "failed", code: "CANCELLED", exitCode: 0 });
	});

	it("outlives no deadline that it ignores", async () => {
		const stubborn = component("stubborn", "await handle(() => new Promise(() => setInterval(() => {}, 1000)));");
		const report = await underHost(stubborn, { deadlineMs: 500 });
		expect(report).toMatchObject({ status: "failed", code: "DEADLINE_EXCEEDED" });
	});

	it("keeps 200 calls apart, with 50 in flight", async () => {
		const many = component(
			"many",
			`await handle(async (run) => {
				let sum = 0;
				for (let index = 0; index < 200; index += 50) {
					const calls = Array.from({ length: 50 }, (_, offset) =>
						run.callCapability({ operationId: "n:" + (index + offset), slot: "same", method: "same", input: index + offset }));
					for (const value of await Promise.all(calls)) sum += value;
				}
				return { outcome: "done", output: sum };
			});`,
		);
		const report = await underHost(many, { capabilities: { "same.same": { echo: true } } });
		expect(report).toMatchObject({ status: "succeeded", output: 19_900, exitCode: 0, stderr: "" });
	});

	it("gets conflicts, joins and details as Run/1 section 6 has them", async () => {
		const joining = component(
			"joining",
			`await handle(async (run) => {
				const call = { operationId: "a", slot: "same", method: "same", input: 1 };
				const joined = await Promise.all([run.callCapability(call), run.callCapability(call)]);
				const conflict = await run.callCapability({ ...call, input: 2 }).catch((error) => error.code);
				const failure = await run.callCapability({ ...call, operationId: "b", method: "fails" }).catch((error) =>
					[error instanceof OperationError, error.code, error.message, error.details]);
				return { outcome: "done", output: [...joined, conflict, failure] };
			});`,
		);
		const report = await underHost(joining, {
			capabilities: {
				"same.same": [{ value: "first", delayMs: 50 }, { value: "second" }],
				"same.fails": { failure: { code: "UNCERTAIN", message: "Who knows?", details: { tried: 1 } } },
			},
		});
		expect(report.output).toEqual([
			"first",
			"first",
			"OPERATION_CONFLICT",
			[true, "UNCERTAIN", "Who knows?", { tried: 1 }],
		]);
	});

	it("is refused when it writes to stdout itself", async () => {
		const polluting = component("polluting", `process.stdout.write("hi\\n"); await handle(async () => ({}));`);
		expect(await underHost(polluting, {})).toMatchObject({ status: "failed", code: "PROTOCOL_ERROR" });
	});

	it("a result with an invalid value is INVALID_RESULT", async () => {
		const invalid = component("invalid", `await handle(async () => ({ outcome: "done", output: Number.NaN }));`);
		expect(await underHost(invalid, {})).toMatchObject({ status: "failed", code: "INVALID_RESULT", exitCode: 0 });
	});

	it("moves megabytes both ways", async () => {
		const echo = component("echo", `await handle(async (run) => ({ outcome: "done", output: run.input }));`);
		const input = ["\u8bfb".repeat(2_000_000), "x".repeat(8_000_000)];
		const report = await underHost(echo, { input });
		expect([report.status, JSON.stringify(report.output) === JSON.stringify(input)]).toEqual(["succeeded", true]);
	});
});
