const SHELL_CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

type SignalName = keyof typeof SHELL_CODES;

/** The reason of everything that a signal stopped. */
export class Interrupted extends Error {
	override readonly name = "Interrupted";
	readonly code = "INTERRUPTED";

	constructor(signal: SignalName) {
		super(`interrupted by ${signal}`);
	}
}

/**
 * Turns SIGINT, SIGTERM and SIGHUP into cancellation: the first one aborts the returned signal and lets the command fence
 * its children and clean up; a second one ends the process at once with the shell's usual code, and what is left is killed
 * and removed as it exits. Called once, before a command makes anything that it must undo.
 */
export function interruptSignal(): AbortSignal {
	const controller = new AbortController();
	for (const name of Object.keys(SHELL_CODES) as SignalName[]) {
		process.on(name, () => {
			if (controller.signal.aborted) process.exit(SHELL_CODES[name]);
			// On a terminal there may be a progress line, and the ^C that the terminal shows.
			const clear = process.stderr.isTTY === true ? "\r\u001b[K" : "";
			process.stderr.write(`${clear}${name}: stopping; send it again to kill at once\n`);
			controller.abort(new Interrupted(name));
		});
	}
	return controller.signal;
}
