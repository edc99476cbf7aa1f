/**
 * Turns SIGINT and SIGTERM into cancellation: the first one aborts the returned signal and lets the command fence its
 * children and clean up; a second one calls `force` and ends the process at once with the shell's usual code.
 */
export function interruptSignal(force: () => void = () => {}): AbortSignal {
	const controller = new AbortController();
	const onSignal = (name: "SIGINT" | "SIGTERM") => {
		if (controller.signal.aborted) {
			force();
			process.exit(name === "SIGINT" ? 130 : 143);
		}
		process.stderr.write(`\n${name}: stopping; send it again to kill at once\n`);
		controller.abort(new Error(`interrupted by ${name}`));
	};
	process.on("SIGINT", () => onSignal("SIGINT"));
	process.on("SIGTERM", () => onSignal("SIGTERM"));
	return controller.signal;
}
