/**
 * The console inside a Worker: every method that prints writes text to the diagnostics of the Run (Run SDK/1 section 1), since
 * there is nobody to look at a Worker's own console. What only measures or groups does nothing.
 */

type Write = (text: string) => void;

/** Replaces the global console for the rest of the Worker. */
export function redirectWorkerConsole(write: Write): void {
	const line = (...parts: readonly unknown[]): void => write(`${format(parts)}\n`);
	const counts = new Map<string, number>();
	const nothing = (): void => {};
	const redirected: Record<string, (...parts: unknown[]) => void> = {
		assert: (condition, ...parts) => {
			if (!condition) line("Assertion failed", ...parts);
		},
		count: (label = "default") => {
			const name = show(label);
			const count = (counts.get(name) ?? 0) + 1;
			counts.set(name, count);
			line(`${name}: ${count}`);
		},
		trace: (...parts) => line("Trace", ...parts, `\n${new Error().stack ?? ""}`),
	};
	for (const name of ["debug", "dir", "dirxml", "error", "group", "groupCollapsed", "info", "log", "table", "warn"]) {
		redirected[name] = line;
	}
	for (const name of Object.keys(console)) redirected[name] ??= nothing;
	Object.defineProperty(globalThis, "console", { value: redirected, configurable: true, writable: true });
}

/** The parts of a message as one text: `%s`, `%d`, `%i`, `%f`, `%o`, `%O`, `%j` and `%%` as consoles have them, the rest beside each other. */
export function format(parts: readonly unknown[]): string {
	const [first, ...rest] = parts;
	if (typeof first !== "string") return parts.map(show).join(" ");
	let next = 0;
	const text = first.replace(/%([sdifoOjc%])/g, (whole, kind: string) => {
		if (kind === "%") return "%";
		if (next >= rest.length) return whole;
		const part = rest[next++];
		if (kind === "c") return "";
		if (kind === "s") return typeof part === "string" ? part : show(part);
		if (kind === "d" || kind === "f") return show(typeof part === "bigint" ? part : toNumber(part));
		if (kind === "i") return show(Number.parseInt(show(part), 10));
		return show(part);
	});
	return [text, ...rest.slice(next).map(show)].join(" ");
}

/** A number as the language makes it; NaN of what it refuses to. */
function toNumber(value: unknown): number {
	try {
		return Number(value);
	} catch {
		return Number.NaN;
	}
}

/** A value as text, whatever it does when it is looked at. */
function show(value: unknown): string {
	try {
		if (typeof value === "string") return value;
		if (typeof value === "bigint") return `${value}n`;
		if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
		if (typeof value !== "object" || value === null) return String(value);
		if (value instanceof Error) return showError(value);
		return JSON.stringify(value, readable(), 2) ?? UNREADABLE;
	} catch {
		return UNREADABLE;
	}
}

const UNREADABLE = "[a value that can't be read]";

/** Causes of causes that are shown. */
const MAX_CAUSES = 8;

function showError(error: Error): string {
	const texts: string[] = [];
	let next: unknown = error;
	while (next instanceof Error && texts.length < MAX_CAUSES) {
		const { stack, cause, name, message } = next;
		// Only some engines begin a stack with the message.
		texts.push(stack?.includes(message) ? stack : `${name}: ${message}\n${stack ?? ""}`);
		next = cause;
	}
	if (next !== undefined) texts.push(next instanceof Error ? "…" : show(next));
	return texts.join("\ncaused by ");
}

/** What JSON has no way to say, in words; a value that contains itself is named. */
function readable(): (this: unknown, name: string, value: unknown) => unknown {
	const within: unknown[] = [];
	return function (_, value) {
		if (typeof value === "bigint") return `${value}n`;
		if (typeof value === "function") return `[Function: ${value.name || "anonymous"}]`;
		if (typeof value === "symbol" || value === undefined) return String(value);
		if (typeof value !== "object" || value === null) return value;
		while (within.length > 0 && within.at(-1) !== this) within.pop();
		if (within.includes(value)) return "[Circular]";
		within.push(value);
		if (value instanceof Error) return showError(value);
		if (value instanceof Map) return { Map: Array.from(value) };
		if (value instanceof Set) return { Set: Array.from(value) };
		return value;
	};
}
