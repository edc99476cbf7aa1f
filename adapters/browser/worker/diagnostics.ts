import { type ControlMessage, STDERR_CHUNK } from "./messages.ts";

/** Characters that wait for the page at most; what comes beyond them is dropped, and counted. */
const MAX_WAITING = 1_048_576;

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
		if (this.#waiting.length + text.length > MAX_WAITING) this.#dropped += text.length;
		else this.#waiting += text;
		if (!this.#underWay) this.#send();
	};

	/** The page took the last message. */
	taken(): void {
		this.#underWay = false;
		this.#send();
	}

	/** Settles when everything was taken. */
	drained(): Promise<void> {
		return new Promise((resolve) => {
			this.#drained = resolve;
			if (!this.#underWay) this.#send();
		});
	}

	#send(): void {
		if (this.#waiting === "" && this.#dropped > 0) {
			this.#waiting = `… ${this.#dropped} characters of diagnostics were dropped: they came faster than the page took them\n`;
			this.#dropped = 0;
		}
		if (this.#waiting === "") {
			this.#drained?.();
			return;
		}
		const chunk = this.#waiting.slice(0, STDERR_CHUNK);
		this.#waiting = this.#waiting.slice(chunk.length);
		this.#underWay = true;
		this.#post({ stderr: chunk });
	}
}
