import { escapeForDisplay } from "../../../src/display.ts";
import { createHost, type Host, type LoadedPackage } from "../../../src/host/index.ts";
import type { JsonValue } from "../../../src/json/index.ts";
import type { Digest } from "../../../src/sha256.ts";
import { directory } from "../directory.ts";
import { nodeRuntime } from "../runtime.ts";
import { readValue } from "./input.ts";
import { interruptSignal } from "./interrupt.ts";
import { count, type Output, paint, showValue } from "./output.ts";
import { formatBytes, progressLine } from "./progress.ts";
import { openTrace } from "./trace.ts";
import { parseAssignment, parseDigest, UsageError } from "./usage.ts";

export interface RunOptions {
	readonly input: string;
	readonly settings: string;
	readonly attach: readonly string[];
	readonly trustAttachments?: boolean;
	readonly deadline: number;
	readonly child: readonly string[];
	readonly expect?: Digest;
	readonly trace?: string;
	readonly traceValues?: boolean;
	readonly stderr?: boolean;
}

/** `millrace run DIR`: load, check, run and accept, with every step said on stderr and the output on stdout. */
export async function runCommand(dir: string, options: RunOptions, output: Output): Promise<void> {
	if (options.input === "-" && options.settings === "-")
		throw new UsageError("only one of --input and --settings can be -");
	const runtime = nodeRuntime({ trustReadWriteAttachments: options.trustAttachments === true });
	const signal = interruptSignal(() => runtime.killNow());
	const host = createHost({ runtime });
	const attachments = Object.fromEntries(options.attach.map(parseAttachment));
	const bindings = options.child.map(parseChild);
	const input = await readValue(options.input);
	const settings = (await readValue(options.settings)) as { readonly [name: string]: JsonValue };
	const trace = options.trace === undefined ? undefined : openTrace(options.trace, options.traceValues === true);
	const loaded: LoadedPackage[] = [];
	try {
		const pack = await load(host, dir, options.expect, signal, output, loaded);
		const children: Record<string, LoadedPackage> = {};
		for (const { slot, dir: childDir, expect } of bindings)
			children[slot] = await load(host, childDir, expect, signal, output, loaded);
		const { snapshot } = pack;
		if (snapshot.schemas.input !== undefined) output.note("input", "checked against input.schema.json before launch");
		const run = host.run(pack, {
			input,
			settings,
			attachments,
			children,
			deadlineMs: options.deadline,
			signal,
			...(trace === undefined ? {} : { onTrace: trace.write }),
			...(options.stderr === true ? { onStderr: (chunk: Uint8Array) => process.stderr.write(chunk) } : {}),
		});
		const result = await run.result;
		output.note("run", `answered and exited 0 within ${Math.round(result.durationMs)} ms, nothing left pending`);
		const schema =
			snapshot.schemas.result === undefined ? "no result schema" : "the complete result fits result.schema.json";
		output.note("accepted", `outcome ${paint.green(result.outcome)} is declared; ${schema}`);
		await output.answer(showValue(result.output), {
			status: "succeeded",
			outcome: result.outcome,
			output: result.output,
			digest: pack.digest,
			durationMs: result.durationMs,
		});
	} finally {
		trace?.close();
		const problem = trace?.problem();
		if (problem !== undefined) process.stderr.write(`the trace is incomplete: ${escapeForDisplay(problem.message)}\n`);
		for (const each of loaded) await each.dispose();
	}
}

async function load(
	host: Host,
	dir: string,
	expect: Digest | undefined,
	signal: AbortSignal,
	output: Output,
	loaded: LoadedPackage[],
): Promise<LoadedPackage> {
	const progress = progressLine(!output.json);
	try {
		const pack = await host.load(directory(dir), {
			signal,
			onProgress: progress.update,
			...(expect === undefined ? {} : { expect }),
		});
		loaded.push(pack);
		progress.done();
		const bytes = pack.snapshot.files.reduce((sum, file) => sum + file.size, 0);
		output.note("package", `${escapeForDisplay(pack.snapshot.metadata.name)} ${pack.digest}`);
		output.note(
			"checked",
			`${count(pack.snapshot.files.length, "file")}, ${formatBytes(bytes)}: ${checkedParts(pack)}`,
		);
		return pack;
	} finally {
		progress.done();
	}
}

function checkedParts({ snapshot }: LoadedPackage): string {
	const schemas = Object.keys(snapshot.schemas).map((name) => `${name}.schema.json`);
	const contracts = [...snapshot.uses.values()].flatMap((use) =>
		"contract" in use ? [escapeForDisplay(use.path)] : [],
	);
	return ["tree", "FLOW.md", ...schemas, ...contracts].join(", ");
}

function parseAttachment(text: string): [name: string, source: { path: string; access: "read" | "read-write" }] {
	const [name, rest] = parseAssignment(text, "name=path:read or name=path:read-write");
	const match = /^(.+):(read|read-write)$/s.exec(rest);
	if (match === null) throw new UsageError(`"${text}" should end in :read or :read-write`);
	return [name, { path: match[1]!, access: match[2] as "read" | "read-write" }];
}

function parseChild(text: string): { slot: string; dir: string; expect?: Digest } {
	const [slot, rest] = parseAssignment(text, "slot=DIR or slot=DIR@sha256:…");
	const at = rest.lastIndexOf("@sha256:");
	return at < 0 ? { slot, dir: rest } : { slot, dir: rest.slice(0, at), expect: parseDigest(rest.slice(at + 1)) };
}
