import { onTestFinished } from "vitest";
import { nodeRuntime } from "../../../adapters/node/runtime.ts";
import {
	type ChannelReceiver,
	createHost,
	type Host,
	type HostLimits,
	type LoadedPackage,
	type RunEvent,
	RunFailure,
	type RunHandler,
	type RunOptions,
} from "../../../src/host/index.ts";
import type { JsonValue } from "../../../src/json/index.ts";
import { memorySource } from "../../../src/package/index.ts";
import { OperationError } from "../../../src/sdk/index.ts";

export const DONE = { outcome: "done", output: null } as const;

/** A channel contract by this name. */
export function contract(name: string, item: JsonValue = { type: "integer" }): string {
	return JSON.stringify({
		$schema: "https://flow.jig.md/schemas/channel-contract-1.schema.json",
		id: `https://example.org/contracts/${name}`,
		version: "1.0.0",
		semantics: "Whole numbers, in no particular order.",
		item,
	});
}

/** The text of a FLOW.md with these lines in its front matter. */
export function flowMd(...lines: string[]): string {
	return ["---", "name: sample", "description: A sample.", ...lines, "---", ""].join("\n");
}

/** A port in FLOW.md. */
export function port(name: string, declaration: Record<string, JsonValue>): string {
	return `channels:\n  ${name}: ${JSON.stringify(declaration)}`;
}

export interface Outcome {
	readonly outcome?: string;
	readonly output?: JsonValue;
	readonly failure?: RunFailure;
	readonly events: readonly RunEvent[];
}

/** A host of its own over the real environment; what it loaded is disposed when the test ends. */
export class Bench {
	readonly host: Host;

	constructor(limits: Partial<HostLimits> = {}) {
		this.host = createHost({ runtime: nodeRuntime(), limits });
	}

	/** A package whose implementation is a function of this program. */
	async handler(
		handler: RunHandler,
		frontmatter = flowMd(),
		files: Record<string, string> = {},
	): Promise<LoadedPackage> {
		const source = memorySource({ "FLOW.md": frontmatter, ...files });
		return this.#kept(await this.host.load(source, { handler }));
	}

	/** A package that runs as a process. */
	async process(code: string, frontmatter = flowMd(), files: Record<string, string> = {}): Promise<LoadedPackage> {
		return this.#kept(await this.host.load(memorySource({ "FLOW.md": frontmatter, "flow.mjs": code, ...files })));
	}

	#kept(pack: LoadedPackage): LoadedPackage {
		onTestFinished(() => pack.dispose());
		return pack;
	}

	/** Runs a package to its end. */
	async run(pack: LoadedPackage, options: Partial<RunOptions> = {}): Promise<Outcome> {
		const events: RunEvent[] = [];
		const run = this.host.run(pack, {
			input: null,
			deadlineMs: 20_000,
			...options,
			onTrace: (event) => events.push(event),
		});
		try {
			const { outcome, output } = await run.result;
			return { outcome, output, events };
		} catch (failure) {
			if (!(failure instanceof RunFailure)) throw failure;
			return { failure, events };
		}
	}

	/** Runs a handler as the root. */
	async root(
		handler: RunHandler,
		options: Partial<RunOptions> = {},
		frontmatter?: string,
		files?: Record<string, string>,
	) {
		return this.run(await this.handler(handler, frontmatter, files), options);
	}
}

/** All that a receiver gives, to its end. */
export async function all(receiver: ChannelReceiver): Promise<JsonValue[]> {
	const items: JsonValue[] = [];
	for await (const item of receiver) items.push(item);
	return items;
}

/** The code an operation fails with; undefined when it doesn't. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
	try {
		await work;
		return undefined;
	} catch (error) {
		if (error instanceof OperationError) return error.code;
		throw error;
	}
}

/** Channel decisions of these types, in their order. */
export function decisions(events: readonly RunEvent[], ...types: string[]): unknown[] {
	return events.flatMap(({ event }) =>
		event.type === "channel" && types.includes(event.event.type) ? [event.event] : [],
	);
}
