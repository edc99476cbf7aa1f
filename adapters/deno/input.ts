/**
 * Deno's standard input, that lets its process end. A paused stream still reads on when a read under way brings something, and in
 * Deno each read holds the process: input that comes late, after the terminal, would keep a component alive until its host
 * closes the pipe (Run/1 section 1: the host may keep it open).
 */
import type { InputStream } from "../node/stdio.ts";

/** Deno's `process.stdin`, as a stream that begins a read by `_read`. */
export interface DenoInput extends InputStream {
	_read(size: number): void;
}

/** `stdin`, which begins no read any more once it is paused. */
export function denoInput(stdin: DenoInput): InputStream {
	const { on, removeListener } = stdin;
	return {
		on: on.bind(stdin),
		removeListener: removeListener.bind(stdin),
		pause() {
			stdin._read = () => {};
			stdin.pause();
		},
		unref: () => stdin.unref?.(),
	};
}
