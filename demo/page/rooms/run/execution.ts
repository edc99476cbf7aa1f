/** One Run, from its children to its result, and what is seen of it meanwhile. */
import type { JsonObject, JsonValue } from "millrace";
import type { ChannelReceiver, LoadedPackage, RootChannel, RunEvent, RunReport } from "millrace/host";
import { type Example, exampleSource } from "./examples.ts";
import { host } from "./loading.ts";
import { SequenceModel } from "./trace/model.ts";

/** Items of one port that are kept. */
const ITEMS = 100;

/** Characters of what is printed that are kept while it goes on. */
const PRINTED = 2_000;

/** Child slots that were missed and are named. */
const UNBOUND = 16;

/** What a Run is given; checked before. */
export interface Terms {
	readonly pack: LoadedPackage;
	readonly example: Example | undefined;
	readonly input: JsonValue;
	readonly settings: JsonObject | undefined;
	readonly deadlineMs: number;
	/** The user's packages by slot. */
	readonly children: ReadonlyMap<string, LoadedPackage>;
	/** What each receiving port is sent. */
	readonly items: ReadonlyMap<string, readonly JsonValue[]>;
}

/** What a sending port of the root gave: all of it counted, the first of it kept. */
export interface Received {
	readonly count: number;
	readonly items: readonly JsonValue[];
}

export interface Exit {
	readonly exitCode: number | null;
	readonly signal: string | null;
}

export class Execution {
	readonly model = new SequenceModel();
	/** On the page's clock that never jumps. */
	readonly since: number = performance.now();
	readonly received = new Map<string, Received>();
	/** Child slots that were called with nothing bound to them. */
	readonly unbound = new Set<string>();
	/** The end of what the root has printed so far. */
	printed = "";
	/** How the root's Worker ended; absent until it has, and where it never started. */
	exit: Exit | undefined;
	readonly #terms: Terms;
	readonly #onSeen: () => void;
	readonly #stop = new AbortController();

	/** `onSeen` is called for everything that happens, often. */
	constructor(terms: Terms, onSeen: () => void) {
		this.#terms = terms;
		this.#onSeen = onSeen;
	}

	cancel(): void {
		this.#stop.abort();
	}

	/** Runs it; called once. Rejects with a `RunFailure`, or a `HostError` where a child could not be loaded. */
	async run(): Promise<RunReport> {
		const { pack, example, input, settings, deadlineMs } = this.#terms;
		const lent: LoadedPackage[] = [];
		const decoder = new TextDecoder();
		try {
			const { result } = host.run(pack, {
				input,
				...(settings === undefined ? {} : { settings }),
				deadlineMs,
				children: await this.#children(lent),
				capabilities: example?.capabilities?.() ?? {},
				channels: this.#channels(),
				signal: this.#stop.signal,
				onTrace: (event) => this.#see(event),
				onStderr: (bytes) => {
					this.printed = (this.printed + decoder.decode(bytes, { stream: true })).slice(-PRINTED);
					this.#onSeen();
				},
			});
			return await result;
		} finally {
			for (const child of lent) child.dispose().catch(() => undefined);
		}
	}

	#see(event: RunEvent): void {
		this.model.add(event);
		const { path, event: what } = event;
		if (what.type === "exited" && path.length === 0) this.exit = what;
		else if (what.type === "operation-unbound" && what.target === "child" && this.unbound.size < UNBOUND)
			this.unbound.add(what.slot);
		this.#onSeen();
	}

	/** What the page brings for an example is loaded for each Run, and given up after it. */
	async #children(lent: LoadedPackage[]): Promise<Readonly<Record<string, LoadedPackage>>> {
		const { example, children } = this.#terms;
		const bound: Record<string, LoadedPackage> = {};
		for (const [slot, name] of Object.entries(example?.children ?? {})) {
			const pack = await host.load(exampleSource(name));
			lent.push(pack);
			bound[slot] = pack;
		}
		return { ...bound, ...Object.fromEntries(children) };
	}

	#channels(): Readonly<Record<string, RootChannel>> {
		const channels: Record<string, RootChannel> = {};
		for (const [name, { direction }] of this.#terms.pack.snapshot.channels) {
			if (direction === "receive") channels[name] = this.#terms.items.get(name) ?? [];
			else channels[name] = (receiver: ChannelReceiver) => this.#receive(name, receiver);
		}
		return channels;
	}

	async #receive(name: string, receiver: ChannelReceiver): Promise<void> {
		let count = 0;
		const items: JsonValue[] = [];
		for await (const item of receiver) {
			count += 1;
			if (items.length < ITEMS) items.push(item);
			this.received.set(name, { count, items });
			this.#onSeen();
		}
	}
}
