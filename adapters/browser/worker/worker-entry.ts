/**
 * What a Worker begins with: gives up what a Flow has no business with, lends the SDK its port, turns the package's modules into
 * Blobs and runs the entrypoint.
 *
 * Its end is defined as a process's is. It exits with 0 when the entrypoint's evaluation has fulfilled and `handle` has ended
 * well, with 1 when evaluation rejected or `handle` failed or was never called, and with 1 at once when an exception or a
 * rejection is handled by nobody, those of the last turn included. What still runs then ends with it.
 */
import { portTransport } from "../../../src/run/port.ts";
import { lendEnvironment } from "../../node/lent.ts";
import { confine } from "./confine.ts";
import { format, redirectWorkerConsole } from "./console.ts";
import { Diagnostics } from "./diagnostics.ts";
import type { ControlMessage, LinkedModule, ModuleName, WorkerStart } from "./messages.ts";
import { resolveSpecifier } from "./specifiers.ts";

/** The text of the SDK's module; the build puts it here. */
declare const SDK_TEXT: string;

type Import = (specifier: unknown, options?: ImportCallOptions) => Promise<unknown>;

addEventListener("message", ({ data }: MessageEvent<WorkerStart>) => begin(data), { once: true });

function begin({ entry, modules, protocol, control }: WorkerStart): void {
	const post = control.postMessage.bind(control) as (message: ControlMessage) => void;
	const diagnostics = new Diagnostics(post);
	control.addEventListener("message", () => diagnostics.taken());
	control.start();
	confine();
	redirectWorkerConsole(diagnostics.write);
	post({ started: true });

	const transport = portTransport(protocol);
	// The package can replace the global one.
	const later = setTimeout;
	const report = reportError;
	let exited = false;
	const exit = (code: 0 | 1): void => {
		if (exited) return;
		exited = true;
		diagnostics.whenDrained(() => post({ exit: code }));
		transport.end();
	};
	/** Whatever of the language the package has changed, it doesn't outlive what it left to nobody. */
	const die = (read: () => readonly unknown[]): void => {
		let text = "Uncaught, and it can't be read";
		try {
			text = format(["Uncaught", ...read()]);
		} finally {
			diagnostics.writeLast(`${text}\n`);
			exit(1);
		}
	};
	addEventListener("error", (event) =>
		die(() => {
			event.preventDefault();
			const { error, message, filename, lineno, colno } = event;
			// The one error whose stack says nothing of where it is.
			const isPlaced = error instanceof SyntaxError && filename !== "";
			return isPlaced ? [`in ${filename}:${lineno}:${colno}:`, error] : [error ?? message];
		}),
	);
	addEventListener("unhandledrejection", (event) =>
		die(() => {
			event.preventDefault();
			return [event.reason];
		}),
	);

	let handled: "not yet" | "under way" | "done" | "failed" = "not yet";
	let evaluated = false;
	const endWhenOver = (): void => {
		if (handled === "failed") exit(1);
		// Browsers tell of a rejection that nobody handles in a turn of its own, which follows the one that it came in.
		else if (evaluated && handled === "done") later(() => later(() => exit(0)));
	};
	lendEnvironment({
		open() {
			handled = "under way";
			return {
				...transport,
				stop() {
					transport.stop();
					transport.end();
					if (handled === "under way") handled = "done";
					endWhenOver();
				},
			};
		},
		report: (text) => diagnostics.writeLast(`${text}\n`),
		failed() {
			handled = "failed";
		},
	});

	new Library(modules).import(entry).then(
		() => {
			evaluated = true;
			if (handled === "not yet") {
				die(() => [`The evaluation of ${entry} is over, and it never called handle.`]);
			}
			endWhenOver();
		},
		// By way of an event, which alone knows where a syntax error is.
		(error) => report(error),
	);
}

/** The package's modules as Blobs. */
class Library {
	readonly #urls: Map<string, string> = new Map();
	readonly #sdk = blobUrl([SDK_TEXT]);

	/** `modules` come in an order in which each follows what it imports. */
	constructor(modules: readonly LinkedModule[]) {
		for (const { path, parts } of modules) {
			const text = parts.map((part) => (typeof part === "string" ? part : this.#urlOf(part)));
			this.#urls.set(path, blobUrl(text));
		}
		// The way for `import()`: each module's call says where it stands.
		const importFrom = (path: string): Import => {
			return async (specifier, options) => {
				const target = resolveSpecifier(String(specifier), path);
				if ("fault" in target) throw new TypeError(`${path}: import("${String(specifier)}") ${target.fault}.`);
				if ("sdk" in target) return import(this.#sdk);
				if (!this.#urls.has(target.path)) {
					throw new TypeError(
						`${path}: import("${String(specifier)}"): the package has no module there that a page can load.`,
					);
				}
				const wanted = target.path.endsWith(".json");
				if (wanted !== (options?.with?.type === "json")) {
					throw new TypeError(
						`${path}: import("${String(specifier)}") ${wanted ? "is JSON and wants" : "is no JSON, and has"} { with: { type: "json" } }.`,
					);
				}
				return import(this.#urlOf(target));
			};
		};
		Object.defineProperty(globalThis, Symbol.for("millrace.import"), { value: importFrom });
	}

	import(path: string): Promise<unknown> {
		return import(this.#urlOf({ path }));
	}

	#urlOf(name: ModuleName): string {
		return "sdk" in name ? this.#sdk : this.#urls.get(name.path)!;
	}
}

function blobUrl(parts: readonly string[]): string {
	return URL.createObjectURL(new Blob([...parts], { type: "text/javascript" }));
}
