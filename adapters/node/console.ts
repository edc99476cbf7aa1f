/**
 * The console of a component process: stdout belongs to the protocol, so every console method writes to stderr instead
 * (Run SDK/1 section 1). It replaces `globalThis.console` for the rest of the process, the one global this library sets,
 * because a library imported later must not reach stdout, after the Run neither.
 */

/** Console members that print nothing and are the environment's own: inspector and profiler hooks. */
const HARMLESS: readonly string[] = ["Console", "profile", "profileEnd", "timeStamp", "context", "createTask"];

/** The console class of `node:console`. */
export type ConsoleClass = new (options: { stdout: NodeJS.WritableStream; stderr: NodeJS.WritableStream }) => Console;

/**
 * Replaces the global console by one that writes to `stderr`. Methods that only this environment's console has are kept
 * when they print nothing; any other (Bun's `console.write`) writes its text to `stderr`, so that nothing is missing and
 * nothing reaches stdout.
 */
export function redirectConsole(Console: ConsoleClass, stderr: NodeJS.WritableStream): void {
	const original = globalThis.console as unknown as Record<string, unknown>;
	const redirected = new Console({ stdout: stderr, stderr }) as unknown as Record<string, unknown>;
	for (const name of Object.keys(original)) {
		if (name in redirected || typeof original[name] !== "function") continue;
		redirected[name] = HARMLESS.includes(name) ? original[name] : (...parts: unknown[]) => writeAll(stderr, parts);
	}
	globalThis.console = redirected as unknown as typeof globalThis.console;
}

function writeAll(stderr: NodeJS.WritableStream, parts: readonly unknown[]): void {
	for (const part of parts) stderr.write(String(part));
}
