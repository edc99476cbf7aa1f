/** What goes between a page, its frame and the Worker in it. */

/** One module of a package, ready but for the URLs of what it imports. */
export interface LinkedModule {
	readonly path: string;
	/**
	 * Its text, cut at the specifiers: a string is text, an object names the module whose URL belongs there (a path of the
	 * package, or the SDK).
	 */
	readonly parts: readonly (string | ModuleName)[];
}

/** A module by its path in the package, or the SDK. */
export type ModuleName = { readonly path: string } | { readonly sdk: true };

/** What the Worker is started with: modules come after those that they import. */
export interface WorkerStart {
	readonly entry: string;
	readonly modules: readonly LinkedModule[];
	/** Run/1. */
	readonly protocol: MessagePort;
	/** Diagnostics and the end. */
	readonly control: MessagePort;
}

/** What the page hands to its frame. */
export interface FrameStart extends WorkerStart {
	readonly millrace: "frame/1";
}

/** What comes over the control port. Diagnostics are acknowledged with `{ taken: true }` before the next ones are sent. */
export type ControlMessage = { readonly started: true } | { readonly stderr: string } | { readonly exit: 0 | 1 };

/** Characters of diagnostics that one message carries at most. */
export const STDERR_CHUNK = 65_536;

/** Characters of what the browser says of a Worker that can't begin or has failed; what it says of an exception is the package's. */
export const FAULT_LENGTH = 4_096;
