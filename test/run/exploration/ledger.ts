/**
 * What an observer of both ends may demand, kept apart from the code that is explored: frames as they were written, settlements
 * as they were told, items as they were accepted and received. Everything here throws a `Violation`.
 */
import type { JsonValue } from "../../../src/json/index.ts";
import type { Message } from "./pipe.ts";

/** Something that no order of events may bring about. */
export class Violation extends Error {
	override readonly name = "Violation";
}

export function demand(condition: boolean, text: string): asserts condition {
	if (!condition) throw new Violation(text);
}

const LIVE = 64;

/** A request of the component: which operation it is, and whether its answer or its cancellation was written. */
interface Asked {
	readonly key: string | undefined;
	readonly operation: string | undefined;
	/** The host has read it. */
	arrived: boolean;
	answered: boolean;
	cancelled: boolean;
}

/** The frames of one channel, both directions, in the order of their writing. */
export class Wire {
	/** Requests of the component by id: their operation, and whether their answer was written or read. */
	readonly asked = new Map<string, Asked>();
	terminal: Message | undefined;
	#live = 0;
	/** What an operation came to, as its first answer that was no cancellation told. */
	readonly #answers = new Map<string, string>();

	/** A frame that the component began to write. */
	fromComponent(message: Message): void {
		demand(this.terminal === undefined, `a frame after the terminal: ${JSON.stringify(message)}`);
		const { id, method } = message;
		if (method === undefined) {
			if (id === "host:1") this.terminal = message;
			return;
		}
		if (method === "request/cancel") {
			const known = this.asked.get(String(message.params?.requestId));
			demand(known !== undefined, "a cancellation of what was never asked");
			known.cancelled = true;
			return;
		}
		demand(typeof id === "string" && !this.asked.has(id), `the request id ${String(id)} came twice`);
		const key = keyOf(message);
		const operation = key === undefined ? undefined : String(message.params?.operationId);
		this.asked.set(id, { key, operation, arrived: false, answered: false, cancelled: false });
		this.#live += 1;
		demand(this.#live <= LIVE, `${this.#live} requests await their responses`);
	}

	/** A frame that the host began to write. */
	fromHost(message: Message): void {
		const { id, method } = message;
		if (method !== undefined || typeof id !== "string") return;
		const asked = this.asked.get(id);
		demand(asked !== undefined, `an answer to ${id}, which was never asked`);
		demand(!asked.answered, `a second answer to ${id}`);
		asked.answered = true;
		const code = message.error?.data?.code;
		// Each waiter's own refusals say nothing about the operation.
		if (asked.key === undefined || ["CANCELLED", "OWNER_CLOSED", "RESOURCE_EXHAUSTED"].includes(code ?? "")) return;
		const text = JSON.stringify(message.result ?? message.error);
		const before = this.#answers.get(asked.key);
		demand(before === undefined || before === text, `one operation was answered ${before} and ${text}`);
		this.#answers.set(asked.key, text);
	}

	/** The host has read a frame, and done what it does about it. */
	arrived(message: Message): void {
		const asked = message.method === undefined ? undefined : this.asked.get(String(message.id));
		if (asked !== undefined) asked.arrived = true;
	}

	/** Ids of the requests for an operation, not for another of its name, that came to the host and that nobody has answered or cancelled. */
	waitersOf(operation: string): string[] {
		const all = [...this.asked].filter(([, asked]) => asked.operation === operation);
		const key = all[0]?.[1].key;
		return all
			.filter(([, asked]) => asked.key === key && asked.arrived && !asked.answered && !asked.cancelled)
			.map(([id]) => id);
	}

	/** The component has read an answer. */
	read(message: Message): void {
		if (message.method === undefined && this.asked.has(String(message.id))) this.#live -= 1;
	}
}

/** Calls that are the same operation: method and params. */
function keyOf({ method, params }: Message): string | undefined {
	return method === "flow/run-child" || method === "capability/call" ? JSON.stringify([method, params]) : undefined;
}

/** A local request: settled once, and never left without an answer. */
export class Waits {
	readonly #open = new Map<number, string>();
	#count = 0;

	/** The function that settles it. */
	begin(what: string): () => void {
		const number = ++this.#count;
		this.#open.set(number, what);
		return () => demand(this.#open.delete(number), `${what} was settled twice`);
	}

	get open(): number {
		return this.#open.size;
	}

	demandNone(when: string): void {
		demand(this.#open.size === 0, `${when}: ${[...this.#open.values()].join(", ")} was never settled`);
	}
}

/** The items of every source, as accepted, and of every receiver, as its holder got them. */
export class Items {
	readonly #accepted = new Map<string, JsonValue[]>();
	readonly #received = new Map<string, { readonly start: number; readonly items: JsonValue[]; ended: boolean }>();
	readonly #sealed = new Set<string>();

	accepted(source: string, value: JsonValue): void {
		this.#accepted.set(source, [...(this.#accepted.get(source) ?? []), value]);
	}

	sealed(source: string): void {
		this.#sealed.add(source);
	}

	/** What a read gave to whoever holds `endpoint`, a receiver of `source` from `start` on. */
	received(endpoint: string, source: string, start: number, step: { readonly item?: JsonValue }): void {
		const found = this.#received.get(endpoint) ?? { start, items: [], ended: false };
		this.#received.set(endpoint, found);
		const accepted = this.#accepted.get(source) ?? [];
		if ("item" in step) {
			const index = found.start - 1 + found.items.length;
			demand(!found.ended, `an item of ${source} after its end`);
			demand(accepted[index] === step.item, `${endpoint} got ${String(step.item)} as item ${index + 1} of ${source}`);
			found.items.push(step.item!);
		} else {
			const all = accepted.length - (found.start - 1);
			demand(this.#sealed.has(source), `${endpoint} got an end of ${source}, which is not sealed`);
			demand(found.items.length === all, `${endpoint} got the end of ${source} after ${found.items.length} of ${all}`);
			found.ended = true;
		}
	}
}
