/** Run SDK/1 section 1: the entries expose the named surface and nothing else; the specification's examples compile. */
import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, expectTypeOf, it } from "vitest";
import * as sdk from "../../adapters/node/sdk.ts";
import {
	type Attachment,
	type CallOptions,
	type CapabilityCall,
	CapabilityError,
	type ChannelBroadcast,
	type ChannelEndpoint,
	type ChannelOptions,
	type ChannelPair,
	type ChannelReceiver,
	type ChannelSender,
	type ChildFlowRequest,
	type JsonValue,
	OperationError,
	type RunContext,
	type RunHandler,
	type RunResult,
} from "../../adapters/node/sdk.ts";

const VALUES = ["CapabilityError", "OperationError", "handle"];
const TYPES = [
	"Attachment",
	"CallOptions",
	"CapabilityCall",
	"ChannelBroadcast",
	"ChannelContractIdentity",
	"ChannelEndpoint",
	"ChannelOptions",
	"ChannelPair",
	"ChannelReceiver",
	"ChannelSender",
	"ChildFlowRequest",
	"JsonValue",
	"RunContext",
	"RunHandler",
	"RunResult",
];

describe("exports", () => {
	it("values", () => {
		expect(Object.keys(sdk).sort()).toEqual(VALUES);
	});

	it("values and types, alike in every runtime's entry", () => {
		const entries = readdirSync(new URL("../../adapters", import.meta.url), { withFileTypes: true })
			.filter((entry) => entry.isDirectory() && ["node", "deno", "bun"].includes(entry.name))
			.map((entry) => new URL(`../../adapters/${entry.name}/sdk.ts`, import.meta.url).pathname);
		expect(entries).toHaveLength(3);
		const program = ts.createProgram(entries, {
			module: ts.ModuleKind.NodeNext,
			moduleResolution: ts.ModuleResolutionKind.NodeNext,
			target: ts.ScriptTarget.ES2023,
			allowImportingTsExtensions: true,
			noEmit: true,
			noLib: true,
			types: [],
		});
		const checker = program.getTypeChecker();
		for (const entry of entries) {
			const module = checker.getSymbolAtLocation(program.getSourceFile(entry)!)!;
			const names = checker.getExportsOfModule(module).map((symbol) => symbol.name);
			expect([entry, names.sort()]).toEqual([entry, [...VALUES, ...TYPES].sort()]);
		}
	});
});

it("a component process loads no dependency and not the host's half of the machine", () => {
	const entry = new URL("../../adapters/node/sdk.ts", import.meta.url).href;
	const loaded = new Set([entry]);
	const strangers: string[] = [];
	for (const url of loaded) {
		const { outputText } = ts.transpileModule(readFileSync(new URL(url), "utf8"), {
			compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023, verbatimModuleSyntax: true },
		});
		for (const { fileName } of ts.preProcessFile(outputText).importedFiles) {
			if (fileName.startsWith(".")) loaded.add(new URL(fileName, url).href);
			else strangers.push(fileName);
		}
	}
	const files = [...loaded].map((url) => url.slice(new URL("../../", import.meta.url).href.length));
	expect([...new Set(strangers)]).toEqual([]);
	expect(
		files.filter((file) =>
			/^src\/(host|package|schema|unicode)\/|src\/run\/(host\.ts|ledger\.ts|channels\/)|sha256/.test(file),
		),
	).toEqual([]);
	expect(files).toContain("src/run/component.ts");
});

describe("types", () => {
	it("are the specification's", () => {
		expectTypeOf(sdk.handle).toEqualTypeOf<(handler: RunHandler) => Promise<void>>();
		expectTypeOf<RunHandler>().toEqualTypeOf<(context: RunContext) => Promise<RunResult>>();
		expectTypeOf<RunContext["signal"]>().toEqualTypeOf<AbortSignal>();
		expectTypeOf<RunContext["channels"]>().toEqualTypeOf<Readonly<Record<string, ChannelEndpoint>>>();
		expectTypeOf<RunContext["attachments"]>().toEqualTypeOf<Readonly<Record<string, Attachment>>>();
		expectTypeOf<RunContext["settings"]>().toEqualTypeOf<Readonly<Record<string, JsonValue>>>();
		expectTypeOf<RunContext["deadlineUnixMs"]>().toBeNumber();
		expectTypeOf<Attachment["access"]>().toEqualTypeOf<"read" | "read-write">();
		expectTypeOf<ChannelEndpoint>().toEqualTypeOf<ChannelSender | ChannelReceiver>();
		expectTypeOf<{ operationId: string; slot: string; input: null }>().toExtend<ChildFlowRequest>();
		expectTypeOf<{ operationId: string; slot: string; method: string; input: null }>().toExtend<CapabilityCall>();
		expectTypeOf<{ signal: AbortSignal }>().toExtend<CallOptions>();
		expectTypeOf<{ delivery: "broadcast"; schema: true }>().toExtend<ChannelOptions>();
	});

	it("a RunResult is a JsonValue and may be kept in another result", () => {
		expectTypeOf<RunResult>().toExtend<JsonValue>();
	});

	it("channel() returns by its literal delivery", () => {
		const probe = (run: RunContext, options: ChannelOptions): void => {
			expectTypeOf(run.channel()).toEqualTypeOf<Promise<ChannelPair>>();
			expectTypeOf(run.channel({ delivery: "direct" })).toEqualTypeOf<Promise<ChannelPair>>();
			expectTypeOf(run.channel({ delivery: "broadcast" })).toEqualTypeOf<Promise<ChannelBroadcast>>();
			expectTypeOf(run.channel(options)).toEqualTypeOf<Promise<ChannelPair | ChannelBroadcast>>();
		};
		expect(probe).toBeTypeOf("function");
	});

	it("the examples of sections 2, 7, 8 and 9 compile", () => {
		const echo: RunHandler = async (run) => ({ outcome: "done", output: run.input });
		const received: RunHandler = async (run) => {
			return { outcome: "done", output: { received: run.input } };
		};
		const research: RunHandler = async (run) => {
			const child = await run.runChildFlow({ operationId: "research:1", slot: "research", input: run.input });
			return { outcome: "done", output: child.output };
		};
		const nested: RunHandler = async (run) => ({
			outcome: "done",
			output: await run.runChildFlow({ operationId: "a", slot: "b", input: null }),
		});
		const cancelling = async (run: RunContext, call: CapabilityCall, signal: AbortSignal): Promise<void> => {
			try {
				await run.callCapability(call, { signal });
			} catch (error) {
				if (!(error instanceof OperationError) || error.code !== "CANCELLED") {
					throw error;
				}
			}
		};
		const fetching = (run: RunContext): Promise<Response> => fetch("https://example.org", { signal: run.signal });
		const watching = async (run: RunContext): Promise<JsonValue> => {
			const updates = await run.channel({ contract: "./contracts/public-updates.json" });
			const call = { operationId: "answer", slot: "agent", method: "run", input: run.input };
			const answer = run.callCapability({ ...call, channels: { events: updates.send } });
			for await (const value of updates.receive) expectTypeOf(value).toEqualTypeOf<JsonValue>();
			await updates.receive.close();
			return answer;
		};
		expect([echo, received, research, nested, cancelling, fetching, watching]).toHaveLength(7);
	});
});

describe("error classes (Run SDK/1 section 5)", () => {
	it("OperationError(code, message?, details?)", () => {
		const plain = new OperationError("UNAVAILABLE");
		expect([plain instanceof Error, plain.name, plain.code, plain.message]).toEqual([
			true,
			"OperationError",
			"UNAVAILABLE",
			"UNAVAILABLE",
		]);
		expect(Object.hasOwn(plain, "details")).toBe(false);
		expect(new OperationError("UNAVAILABLE", "x", null).details).toBeNull();
	});

	it("CapabilityError(errorName, data)", () => {
		const error = new CapabilityError("not-found", { path: "x" });
		expect([error instanceof Error, error.name, error.errorName, error.data]).toEqual([
			true,
			"CapabilityError",
			"not-found",
			{ path: "x" },
		]);
	});
});
