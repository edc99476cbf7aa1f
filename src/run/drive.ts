import { encodeUtf8 } from "../web.ts";
import { LF } from "./frames.ts";
import type { Session } from "./ports.ts";
import type { Transport } from "./transport.ts";

/** Frames taken for one write beyond its first: enough to amortise a system call, small enough to stay fair. */
const BATCH_UNITS = 32_768;
/** Bytes of a chunk that are taken at a time. */
const PIECE_BYTES = 4_096;

/**
 * Joins a session to a transport: reads into `receive()`, takes frames in batches of at most 32 KiB beyond the first frame,
 * one write at a time, each awaited before the next. Call `wake` whenever the session's port does; the frames are taken
 * when an input has been received, and otherwise in a microtask, so that what one input causes leaves in one write.
 */
export function drive(session: Session, transport: Transport): { wake(): void } {
	let scheduled = false;
	let writing = false;
	let broken = false;
	let receiving = false;

	function pump(): void {
		scheduled = false;
		// A transport may call back before `write` returns: a loop, so that a long queue can't deepen the stack.
		while (!writing && !broken) {
			const batch = takeBatch(session);
			if (batch === undefined) return;
			writing = true;
			let told = false;
			const done = (error?: unknown): void => {
				if (told) return;
				told = true;
				writing = false;
				if (error === undefined || error === null) session.written();
				else {
					broken = true;
					session.writeFailed(error);
				}
				wake();
			};
			if (transport.writeText !== undefined) transport.writeText(batch, done);
			else transport.write(encodeUtf8(batch), done);
		}
	}

	function wake(): void {
		if (scheduled || receiving || writing || broken) return;
		scheduled = true;
		void Promise.resolve().then(pump);
	}

	/** What it causes without a promise leaves now. */
	function receive(bytes: Uint8Array): void {
		receiving = true;
		try {
			session.receive(bytes);
		} finally {
			receiving = false;
		}
		pump();
	}

	/** What is left of a chunk while what its first frames caused is under way. */
	let rest: Uint8Array | undefined;

	/** Takes a chunk piece by piece: the peer works on the first answers while we work on what is left. */
	function take(bytes: Uint8Array): void {
		const cut = bytes.length > 2 * PIECE_BYTES ? bytes.lastIndexOf(LF, PIECE_BYTES) + 1 : 0;
		receive(cut === 0 ? bytes : bytes.subarray(0, cut));
		if (cut === 0) return;
		rest = bytes.subarray(cut);
		void Promise.resolve().then(takeRest);
	}

	function takeRest(): void {
		if (rest === undefined) return;
		pump();
		const next = rest;
		rest = undefined;
		take(next);
	}

	/** Nothing overtakes what came before it. */
	function takeAll(): void {
		const next = rest;
		rest = undefined;
		if (next !== undefined) receive(next);
	}

	transport.listen({
		chunk: (bytes) => {
			takeAll();
			take(bytes);
		},
		ended: () => {
			takeAll();
			session.inputEnded();
		},
		failed: (error) => {
			takeAll();
			session.readFailed(error);
		},
	});
	return { wake };
}

/** The text of one or more frames, joined once: streams are slow to encode what was added up piece by piece. */
function takeBatch(session: Session): string | undefined {
	const first = session.takeText();
	if (first === undefined) return undefined;
	const frames = [first];
	for (let units = 0; units < BATCH_UNITS; ) {
		const text = session.takeText();
		if (text === undefined) break;
		frames.push(text);
		units += text.length;
	}
	return frames.join("");
}
