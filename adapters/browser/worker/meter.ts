import type { MessagePortLike } from "../../../src/run/index.ts";
import type { ControlMessage } from "./messages.ts";

/** What one Worker may send. Each is a bound of ours, and ends the Worker when it is crossed. */
export interface WorkerLimits {
	/** Messages on the port of Run/1. */
	readonly messages: number;
	/** Bytes on the port of Run/1. */
	readonly bytes: number;
	/** Characters of diagnostics. */
	readonly diagnostics: number;
}

/** The bounds unless told otherwise. */
export const WORKER_LIMITS: WorkerLimits = Object.freeze({
	messages: 4_194_304,
	bytes: 1_073_741_824,
	diagnostics: 16_777_216,
});

/** Bytes that an honest Worker has under way at once: its window, and one longer write. */
const MAX_CHUNK = 33_554_432;

const FOREIGN = "it sent what is no part of Run/1";

/** Counts what a Worker sends, and says when it is too much or none of what it should be. */
export class Meter {
	/** Fulfils when the Worker has sent the end of its output. */
	readonly inputEnded: Promise<void>;
	readonly #limits: WorkerLimits;
	readonly #over: (words: string) => void;
	#ended: () => void = () => {};
	#messages = 0;
	#bytes = 0;
	#diagnostics = 0;

	constructor(limits: WorkerLimits, over: (words: string) => void) {
		this.#limits = limits;
		this.#over = over;
		this.inputEnded = new Promise((resolve) => {
			this.#ended = resolve;
		});
	}

	/** The port as a transport sees it: messages go on only while they are within bounds and of the form that transports speak. */
	watch(port: MessagePort): MessagePortLike {
		let stopped = false;
		return {
			postMessage: (message, transfer) => port.postMessage(message, transfer),
			start: () => port.start(),
			close: () => port.close(),
			addEventListener: (type, listener) => {
				port.addEventListener(type, (event) => {
					// That the port was closed is heard in any case: its reader waits for it.
					if (type !== "message") return listener(event);
					if (stopped) return;
					const fault = this.#protocol(event as MessageEvent);
					if (fault === undefined) return listener(event);
					stopped = true;
					this.#over(fault);
				});
			},
		};
	}

	/** What is wrong with one more message of the control port. */
	control(message: ControlMessage): string | undefined {
		if ("stderr" in message) this.#diagnostics += message.stderr.length;
		return this.#diagnostics > this.#limits.diagnostics
			? `it wrote more than ${this.#limits.diagnostics} characters of diagnostics`
			: undefined;
	}

	/** What is wrong with one more message of the port of Run/1: nothing rides along that is not counted. */
	#protocol({ data, ports }: MessageEvent): string | undefined {
		this.#messages += 1;
		if (this.#messages > this.#limits.messages) return `it sent more than ${this.#limits.messages} messages`;
		const { chunk, taken, end } = (data ?? {}) as {
			readonly chunk?: unknown;
			readonly taken?: unknown;
			readonly end?: unknown;
		};
		const known = [chunk, taken, end].filter((part) => part !== undefined).length;
		if (known !== 1 || Object.keys(data).length !== 1 || ports.length > 0) return FOREIGN;
		if (end === true) {
			this.#ended();
			return undefined;
		}
		if (typeof taken === "number") return undefined;
		if (!(chunk instanceof Uint8Array)) return FOREIGN;
		// A view comes with all that it is a view of, and that with all that it may grow to.
		const { byteLength, maxByteLength = byteLength } = chunk.buffer as ArrayBuffer & {
			readonly maxByteLength?: number;
		};
		if (maxByteLength > MAX_CHUNK) return `it sent ${maxByteLength} bytes at once`;
		this.#bytes += maxByteLength;
		return this.#bytes > this.#limits.bytes ? `it sent more than ${this.#limits.bytes} bytes` : undefined;
	}
}
