/**
 * Run/1 section 5.1 once more, as naive as it can be: everything accepted is kept for ever, a reader is a place in it, and
 * after every step the rules are applied until none applies. For comparison only.
 */
import type { JsonValue } from "../../../src/json/index.ts";
import type { ChannelLimits } from "../../../src/run/index.ts";
import { end, item } from "./harness.ts";

/** Item schemas of the model: none, numbers, or texts. */
export type Kind = "any" | "number" | "text";

export interface ModelWait {
	answer: JsonValue;
}

export interface Writer {
	readonly direction: "send";
	readonly source: ModelSource;
	holder: ModelHolder;
	used: boolean;
	moved: boolean;
}

export interface ModelReader {
	readonly direction: "receive";
	readonly source: ModelSource;
	readonly start: number;
	holder: ModelHolder;
	used: boolean;
	moved: boolean;
	kind: Kind;
	/** How many of the source's items are behind it. */
	taken: number;
	/** Bytes of the item in flight. */
	flight: number | undefined;
	read: ModelWait | undefined;
	/** `open`, `ended`, `disposed`, or the code it failed with. */
	state: string;
	/** Its end or failure was told, or a release answered. */
	told: boolean;
}

export interface ModelSource {
	readonly delivery: "direct" | "broadcast";
	readonly owner: ModelHolder;
	kind: Kind;
	readonly items: JsonValue[];
	readonly writer: Writer;
	readonly readers: ModelReader[];
	waiting: { readonly value: JsonValue; readonly wait: ModelWait }[];
	/** `open`, `sealed`, or the code it failed with. */
	state: string;
}

export interface ModelHolder {
	closed: boolean;
	over: boolean;
	verdict: string | undefined;
	sources: number;
	receivers: number;
}

const size = (value: JsonValue): number => JSON.stringify(value).length;
const fits = (kind: Kind, value: JsonValue): boolean =>
	kind === "any" || typeof value === (kind === "text" ? "string" : "number");
const clash = (a: Kind, b: Kind): boolean => a !== "any" && b !== "any" && a !== b;
const now = (answer: JsonValue): ModelWait => ({ answer });

export class Model {
	readonly limits: ChannelLimits;
	readonly sources: ModelSource[] = [];
	readonly holders: ModelHolder[] = [];

	constructor(limits: ChannelLimits) {
		this.limits = limits;
	}

	holder(): ModelHolder {
		const { sources, receivers } = this.limits;
		const made = { closed: false, over: false, verdict: undefined, sources, receivers };
		this.holders.push(made);
		return made;
	}

	create(owner: ModelHolder, delivery: "direct" | "broadcast", kind: Kind): ModelSource | string {
		if (owner.closed) return "OWNER_CLOSED";
		if (owner.sources === 0 || (delivery === "direct" && owner.receivers === 0)) return "RESOURCE_EXHAUSTED";
		owner.sources -= 1;
		const writer = { direction: "send", holder: owner, used: false, moved: false } as unknown as Writer;
		const source: ModelSource = { delivery, owner, kind, items: [], writer, readers: [], waiting: [], state: "open" };
		Object.assign(writer, { source });
		this.sources.push(source);
		if (delivery === "direct") this.#reader(source, owner);
		return source;
	}

	subscribe(holder: ModelHolder, source: ModelSource): ModelReader | string {
		if (source.owner !== holder || source.delivery === "direct") return "PERMISSION_DENIED";
		if (holder.closed || source.state === "sealed") return "OWNER_CLOSED";
		if (source.state !== "open") return source.state;
		return holder.receivers === 0 ? "RESOURCE_EXHAUSTED" : this.#reader(source, holder);
	}

	send(holder: ModelHolder, writer: Writer, value: JsonValue): ModelWait {
		const { source } = writer;
		if (writer.holder !== holder) return now("PERMISSION_DENIED");
		writer.used = true;
		const refused = this.#refusal(source) ?? (holder.closed ? "OWNER_CLOSED" : undefined);
		if (refused !== undefined) return now(refused);
		const fault = this.#fault(source, value);
		if (fault !== undefined) {
			this.#fail(source, fault);
			return now(fault);
		}
		const wait = now("waiting");
		source.waiting.push({ value, wait });
		this.advance();
		if (wait.answer !== "waiting") return wait;
		const { pendingSends, pendingBytes } = this.limits;
		const bytes = source.waiting.reduce((sum, each) => sum + size(each.value), 0);
		if (source.waiting.length > pendingSends || bytes > pendingBytes) {
			source.waiting.pop();
			wait.answer = "RESOURCE_EXHAUSTED";
		}
		return wait;
	}

	next(holder: ModelHolder, reader: ModelReader): ModelWait {
		if (reader.holder !== holder) return now("PERMISSION_DENIED");
		reader.used = true;
		if (reader.state === "ended") return now(end(reader.taken));
		if (reader.state === "disposed") return now("DISCONNECTED");
		if (reader.state !== "open") {
			reader.told = true;
			return now(reader.state);
		}
		if (reader.read !== undefined) return now("INVALID_INPUT");
		if (holder.closed) return now("OWNER_CLOSED");
		reader.flight = undefined;
		reader.read = now("waiting");
		const { read } = reader;
		this.advance();
		return read;
	}

	cancel(wait: ModelWait): void {
		if (wait.answer !== "waiting") return;
		for (const source of this.sources) {
			source.waiting = source.waiting.filter((each) => each.wait !== wait);
			for (const reader of source.readers) if (reader.read === wait) this.#dispose(reader, "CANCELLED");
		}
		wait.answer = "CANCELLED";
		this.advance();
	}

	close(holder: ModelHolder, writer: Writer): JsonValue {
		const { source } = writer;
		if (writer.holder !== holder) return "PERMISSION_DENIED";
		writer.used = true;
		if (source.state === "sealed") return null;
		const refused = this.#refusal(source);
		if (refused !== undefined) return refused;
		if (source.waiting.length > 0) return "INVALID_INPUT";
		source.state = "sealed";
		this.advance();
		return null;
	}

	release(holder: ModelHolder, reader: ModelReader): JsonValue {
		if (reader.holder !== holder) return "PERMISSION_DENIED";
		reader.used = true;
		if (reader.state === "open") this.#dispose(reader, "CANCELLED");
		reader.told = true;
		if (reader.state === "disposed") return { status: "released" };
		if (reader.state === "ended") return { status: "ended", lastSequence: reader.taken };
		return { status: "failed", code: reader.state };
	}

	/** Undefined when everything moved. */
	transfer(
		from: ModelHolder,
		to: ModelHolder,
		moves: readonly { endpoint: Writer | ModelReader; kind: Kind; start: "beginning" | "suffix" }[],
	): string | undefined {
		if (from.closed || to.closed) return "OWNER_CLOSED";
		const all = moves.map(({ endpoint }) => endpoint);
		if (all.some((each) => each.holder !== from)) return "PERMISSION_DENIED";
		if (all.some((each) => (each.direction === "send" ? each.source.state : each.state) !== "open"))
			return "DISCONNECTED";
		if (all.some((each) => each.used)) return "PERMISSION_DENIED";
		if (new Set(all).size < all.length) return "INVALID_INPUT";
		for (const { endpoint, kind, start } of moves) {
			const { source } = endpoint;
			if (endpoint.direction === "send") {
				for (const reader of source.readers)
					if (reader.state === "open" && clash(kind, reader.kind)) return "INVALID_INPUT";
			} else {
				if (start === "beginning" && endpoint.start !== 1) return "INVALID_INPUT";
				if (clash(kind, endpoint.kind)) return "INVALID_INPUT";
				if (source.items.slice(endpoint.taken).some((value) => !fits(kind, value))) return "INVALID_INPUT";
				const writer = moves.find((each) => each.endpoint === source.writer);
				if (writer !== undefined && clash(kind, writer.kind)) return "INVALID_INPUT";
			}
			if (clash(kind, source.kind)) return "INVALID_INPUT";
		}
		for (const { endpoint, kind } of moves) {
			endpoint.holder = to;
			endpoint.moved = true;
			if (kind === "any") continue;
			if (endpoint.direction === "send" || endpoint.source.delivery === "direct") endpoint.source.kind = kind;
			else endpoint.kind = kind;
		}
		return undefined;
	}

	finalise(holder: ModelHolder): string {
		if (holder.verdict !== undefined) return holder.verdict;
		holder.verdict = holder.over ? "OWNER_CLOSED" : this.#unfinished(holder) ? "EXECUTION_FAILED" : "sealed";
		holder.closed = true;
		for (const source of this.sources) {
			if (source.writer.holder !== holder || this.#refusal(source) !== undefined) continue;
			if (holder.verdict !== "sealed") this.#fail(source, "OWNER_CLOSED");
			else if (this.#touched(source)) source.state = "sealed";
			else for (const reader of source.readers) this.#dispose(reader, "never");
		}
		this.advance();
		return holder.verdict;
	}

	end(holder: ModelHolder): void {
		if (holder.over) return;
		holder.over = true;
		holder.closed = true;
		const readers = this.sources.flatMap((each) => each.readers);
		// What it owns, for itself and for others; then what it writes for others; then what it reads from others.
		for (const source of this.sources.filter((each) => each.owner === holder)) {
			for (const { wait } of source.waiting.splice(0)) wait.answer = "OWNER_CLOSED";
			for (const reader of source.readers.filter((each) => each.state === "open")) {
				if (reader.holder === holder) this.#dispose(reader, "OWNER_CLOSED");
				else this.#failReader(reader, "OWNER_CLOSED");
			}
			if (source.state === "open") this.#fail(source, "OWNER_CLOSED");
		}
		for (const source of this.sources) {
			if (source.writer.holder === holder && this.#refusal(source) === undefined) this.#fail(source, "OWNER_CLOSED");
		}
		for (const reader of readers) {
			if (reader.holder === holder && reader.state === "open") this.#dispose(reader, "OWNER_CLOSED");
		}
	}

	/** How many endpoints are left to settle. */
	reserve(holder: ModelHolder): number {
		const writers = this.sources.filter((each) => each.writer.holder === holder && this.#refusal(each) === undefined);
		const readers = this.sources.flatMap((each) => each.readers).filter((each) => each.holder === holder && !each.told);
		return writers.length + readers.length;
	}

	/** Applies every rule until none applies. */
	advance(): void {
		while (this.sources.some((source) => this.#step(source)));
	}

	#step(source: ModelSource): boolean {
		for (const reader of source.readers) {
			if (reader.state !== "open" || reader.read === undefined) continue;
			if (reader.taken < source.items.length) {
				const value = source.items[reader.taken++]!;
				reader.flight = size(value);
				reader.read.answer = item(reader.taken, value);
			} else if (source.state === "sealed") {
				reader.state = "ended";
				reader.told = true;
				reader.read.answer = end(source.items.length);
			} else continue;
			reader.read = undefined;
			return true;
		}
		const [first] = source.waiting;
		if (first === undefined) return false;
		if (source.delivery === "direct" && !this.#hasRoom(source.readers[0]!, first.value, "queued")) return false;
		const fault = this.#fault(source, first.value);
		if (fault !== undefined) {
			this.#fail(source, fault);
			return true;
		}
		source.waiting.shift();
		first.wait.answer = null;
		if (source.delivery === "broadcast") {
			for (const reader of source.readers) {
				if (reader.state !== "open") continue;
				if (!this.#hasRoom(reader, first.value, "reader")) this.#failReader(reader, "LAGGED");
				else if (!fits(reader.kind, first.value)) this.#failReader(reader, "INVALID_INPUT");
			}
		}
		source.items.push(first.value);
		return true;
	}

	#hasRoom(reader: ModelReader, value: JsonValue, which: "queued" | "reader"): boolean {
		const behind = reader.source.items.slice(reader.taken).map(size);
		if (reader.flight !== undefined) behind.push(reader.flight);
		const bytes = behind.reduce((sum, each) => sum + each, size(value));
		return behind.length < this.limits[`${which}Items`] && bytes <= this.limits[`${which}Bytes`];
	}

	#fault(source: ModelSource, value: JsonValue): string | undefined {
		if (!fits(source.kind, value)) return "INVALID_INPUT";
		const { itemBytes, queuedBytes, sourceBytes } = this.limits;
		const bytes = size(value);
		if (bytes > itemBytes || (source.delivery === "direct" && bytes > queuedBytes)) return "RESOURCE_EXHAUSTED";
		const spent = source.items.reduce<number>((sum, each) => sum + size(each), 0);
		return spent + bytes > sourceBytes ? "RESOURCE_EXHAUSTED" : undefined;
	}

	#refusal(source: ModelSource): string | undefined {
		if (source.state === "sealed") return "OWNER_CLOSED";
		if (source.state !== "open") return source.state;
		return source.delivery === "direct" && source.readers[0]!.state === "disposed" ? "DISCONNECTED" : undefined;
	}

	#touched(source: ModelSource): boolean {
		const ends = [source.writer, ...source.readers];
		return source.delivery === "broadcast" || ends.some((each) => each.used || each.moved);
	}

	#unfinished(holder: ModelHolder): boolean {
		return this.sources.some(
			(source) =>
				(source.writer.holder === holder && source.waiting.length > 0) ||
				source.readers.some((each) => each.holder === holder && each.state === "open" && this.#touched(source)),
		);
	}

	#reader(source: ModelSource, holder: ModelHolder): ModelReader {
		holder.receivers -= 1;
		const reader: ModelReader = {
			direction: "receive",
			source,
			start: source.items.length + 1,
			holder,
			used: false,
			moved: false,
			kind: "any",
			taken: source.items.length,
			flight: undefined,
			read: undefined,
			state: "open",
			told: false,
		};
		source.readers.push(reader);
		return reader;
	}

	#fail(source: ModelSource, code: string): void {
		source.state = code;
		for (const { wait } of source.waiting.splice(0)) wait.answer = code;
		for (const reader of source.readers) if (reader.state === "open") this.#failReader(reader, code);
	}

	#failReader(reader: ModelReader, code: string): void {
		reader.state = code;
		if (reader.read !== undefined) {
			reader.read.answer = code;
			reader.told = true;
		}
		reader.read = undefined;
	}

	#dispose(reader: ModelReader, told: string): void {
		reader.state = "disposed";
		if (reader.read !== undefined) reader.read.answer = told;
		reader.read = undefined;
		if (reader.source.delivery === "broadcast") return;
		for (const { wait } of reader.source.waiting.splice(0)) wait.answer = "DISCONNECTED";
	}
}
