import { type ControlMessage, STDERR_CHUNK } from "./messages.ts";

/** Characters that wait for the page at most; what comes beyond them is dropped, and counted. */
const MAX_WAITING = 1_048_576;

/** The package can replace the methods of strings; what it does can't keep its diagnostics and its end from the page. */
const call = Function.prototype.call;
const slice = call.bind(String.prototype.slice) as unknown as (text: string, start: number, end?: number) => string;
const unitAt = call.bind(String.prototype.charCodeAt) as unknown as (text: string, index: number) => number;

/** The way of a Worker's diagnostics to the page: one message at a time, the next when the page has taken it. */
export class Diagnostics {
	readonly #post: (message: ControlMessage) => void;
	#waiting = "";
	#dropped = 0;
	#underWay = false;
	#drained: (() => void) | undefined;

	constructor(post: (message: ControlMessage) => void) {
		this.#post = post;
	}

	readonly write = (text: string): void => {
		// What was dropped is told of before anything else is taken.
		const room = this.#dropped > 0 ? 0 : MAX_WAITING - this.#waiting.length;
		this.#waiting += slice(text, 0, room);
		if (text.length > room) this.#dropped += text.length - room;
		if (!this.#underWay) this.#send();
	};

	/** Why the handler or the Worker ended, once each: the beginning of it is heard whatever waits. */
	writeLast(text: string): void {
		this.#tellDropped();
		this.#waiting += slice(text, 0, STDERR_CHUNK);
		if (!this.#underWay) this.#send();
	}

	#tellDropped(): void {
		if (this.#dropped === 0) return;
		this.#waiting += `\n… ${this.#dropped} characters of diagnostics were dropped: they came faster than the page took them\n`;
		this.#dropped = 0;
	}

	/** The page took the last message. */
	taken(): void {
		this.#underWay = false;
		this.#send();
	}

	/** Calls back when everything was taken. */
	whenDrained(callback: () => void): void {
		this.#drained = callback;
		if (!this.#underWay) this.#send();
	}

	#send(): void {
		if (this.#waiting === "") this.#tellDropped();
		const { length } = this.#waiting;
		if (length === 0) {
			const drained = this.#drained;
			this.#drained = undefined;
			drained?.();
			return;
		}
		// The halves of a pair go together.
		const isCut = length > STDERR_CHUNK && (unitAt(this.#waiting, STDERR_CHUNK - 1) & 0xfc00) === 0xd800;
		const size = isCut ? STDERR_CHUNK - 1 : STDERR_CHUNK;
		const stderr = slice(this.#waiting, 0, size);
		this.#waiting = slice(this.#waiting, size);
		this.#underWay = true;
		this.#post({ stderr });
	}
}
