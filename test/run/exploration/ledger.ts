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
	/** The component has read its answer. */
	read: boolean;
	/** Its cancellation came to the host before the operation was decided: only a refusal or `CANCELLED` can answer it. */
	stopped: boolean;
	/** A close or a release, which nothing cancels. */
	readonly settles: boolean;
}

/** The frames of one channel, both directions, in the order of their writing. */
export class Wire {
	/** Requests of the component by id: their operation, and whether their answer was written or read. */
	readonly asked = new Map<string, Asked>();
	terminal: Message | undefined;
	#live = 0;
	/** The most requests that were ever without an answer. */
	#peak = 0;
	/** The first call of each operation id that came to something other than a conflict. */
	readonly #owners = new Map<string, string>();
	/** Written requests that the root's cancellation must cancel before anything else is said. */
	#owed = new Set<string>();
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
			this.#owed.delete(String(message.params?.requestId));
			return;
		}
		const settles = method === "channel/close" || method === "channel/release";
		demand(
			settles || this.owed.length === 0,
			`${method} was written before the cancellation of ${this.owed.join(", ")}`,
		);
		demand(typeof id === "string" && !this.asked.has(id), `the request id ${String(id)} came twice`);
		const key = keyOf(message);
		const operation = key === undefined ? undefined : String(message.params?.operationId);
		const state = { arrived: false, answered: false, cancelled: false, read: false, stopped: false };
		this.asked.set(id, { key, operation, settles, ...state });
		this.#live += 1;
		this.#peak = Math.max(this.#peak, this.#live);
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
		demand(
			!asked.stopped || ["CANCELLED", "OWNER_CLOSED", "RESOURCE_EXHAUSTED"].includes(code ?? ""),
			`${id} was cancelled before its operation was decided, and answered ${code ?? "a result"}`,
		);
		if (asked.key !== undefined) this.#owned(asked.key, asked.operation!, code);
		// Each waiter's own refusals say nothing about the operation.
		if (asked.key === undefined || ["CANCELLED", "OWNER_CLOSED", "RESOURCE_EXHAUSTED"].includes(code ?? "")) return;
		const text = JSON.stringify(message.result ?? message.error);
		const before = this.#answers.get(asked.key);
		demand(before === undefined || before === text, `one operation was answered ${before} and ${text}`);
		this.#answers.set(asked.key, text);
	}

	/** One call has an operation id; others conflict, and nobody is refused for want of room where there was some. */
	#owned(key: string, operation: string, code: string | undefined): void {
		demand(code !== "RESOURCE_EXHAUSTED" || this.#peak >= LIVE - 1, "a call was refused for want of room");
		if (code === "OPERATION_CONFLICT") {
			const others = [...this.asked.values()].some((each) => each.operation === operation && each.key !== key);
			demand(others, `${operation} conflicts with itself`);
		} else if (code !== "CANCELLED" && code !== "OWNER_CLOSED" && code !== "RESOURCE_EXHAUSTED") {
			const owner = this.#owners.get(operation) ?? key;
			demand(owner === key, `${operation} was two calls: ${owner} and ${key}`);
			this.#owners.set(operation, key);
		}
	}

	/** The root was cancelled at the component: what it wrote and still waits for is to be cancelled now. */
	owe(): void {
		for (const [id, { cancelled, read, settles }] of this.asked)
			if (!cancelled && !read && !settles) this.#owed.add(id);
	}

	/** What is still to be cancelled before any other frame. */
	get owed(): string[] {
		return [...this.#owed];
	}

	/** The host has read a cancellation: the operation that nobody waits for now, or undefined. */
	stopped(message: Message, isRunning: (operation: string) => boolean): string | undefined {
		const asked = this.asked.get(String(message.params?.requestId));
		if (message.method !== "request/cancel" || asked?.operation === undefined) return undefined;
		const { operation, key } = asked;
		if (!asked.arrived || asked.answered || !isRunning(operation)) return undefined;
		const same = [...this.asked.values()].filter((each) => each.operation === operation);
		// Of another call, it was refused as a conflict.
		if (same.some((each) => each.key !== key)) return undefined;
		asked.stopped = true;
		return same.some((each) => each.arrived && !each.answered && !each.stopped) ? undefined : operation;
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
		const asked = message.method === undefined ? this.asked.get(String(message.id)) : undefined;
		if (asked === undefined) return;
		asked.read = true;
		this.#owed.delete(String(message.id));
		this.#live -= 1;
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

/** What a source holds back and who waits for it, against the bounds of its host. */
export class Queues {
	readonly #items: number;
	readonly #bytes: number;
	readonly #pending: number;
	/** Bytes of the accepted items that no read has taken, of direct sources. */
	readonly #held = new Map<string, number[]>();
	/** Sends that are not settled, by their sender, in the order of their arrival. */
	readonly #sends = new Map<string, object[]>();

	constructor(items: number, bytes: number, pending: number) {
		this.#items = items;
		this.#bytes = bytes;
		this.#pending = pending;
	}

	created(source: string): void {
		this.#held.set(source, []);
	}

	accepted(source: string, bytes: number): void {
		this.#held.get(source)?.push(bytes);
	}

	delivered(source: string): void {
		this.#held.get(source)?.shift();
	}

	/** After each decision: no queue is over its bounds. */
	demandBounds(): void {
		for (const [source, held] of this.#held) {
			const bytes = held.reduce((sum, each) => sum + each, 0);
			demand(held.length <= this.#items, `${source} holds ${held.length} items back`);
			demand(bytes <= this.#bytes, `${source} holds ${bytes} bytes back`);
		}
	}

	waiting(sender: string): number {
		return this.#sends.get(sender)?.length ?? 0;
	}

	/** A send came; the function tells how it ended: accepted in its turn, or refused where there was no room. */
	send(sender: string): (code: string | undefined) => void {
		const sends = this.#sends.get(sender) ?? [];
		this.#sends.set(sender, sends);
		const send = {};
		const before = sends.length;
		sends.push(send);
		return (code) => {
			const place = sends.indexOf(send);
			sends.splice(place, 1);
			demand(code !== undefined || place === 0, `a send of ${sender} was accepted before the ${place} that came first`);
			demand(
				code !== "RESOURCE_EXHAUSTED" || before >= this.#pending,
				`a send of ${sender} found no room behind ${before}`,
			);
		};
	}

	/** After a send was taken. */
	demandWaiting(sender: string): void {
		const waiting = this.waiting(sender);
		demand(waiting <= this.#pending, `${waiting} sends of ${sender} wait`);
	}
}
