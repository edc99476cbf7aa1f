/**
 * The web types and globals this library uses, as small structural interfaces of its own.
 *
 * The core compiles without the DOM library and without Node's types, so that it can't name an environment by accident.
 * Where the user's program has the real type (`AbortSignal`, `ReadableStream`), the alias resolves to it, so that
 * `run.signal` can be handed to `fetch`; elsewhere it is the structural shape.
 */

type Global<Name extends string, Fallback> = typeof globalThis extends { [key in Name]: { prototype: infer T } }
	? T
	: Fallback;

/** The part of `AbortSignal` that the core reads. */
export interface AbortSignalLike {
	readonly aborted: boolean;
	readonly reason: unknown;
	addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
	removeEventListener(type: "abort", listener: () => void): void;
}

/** The environment's `AbortSignal` where its types are loaded, else {@link AbortSignalLike}. */
export type AbortSignal = Global<"AbortSignal", AbortSignalLike>;

interface AbortControllerLike {
	readonly signal: AbortSignal;
	abort(reason?: unknown): void;
}

/** One reader over a Web Stream: `read()` until `done`, `cancel()` to stop early. */
export interface StreamReaderLike<T> {
	read(): Promise<{ done: false; value: T } | { done: true; value?: T | undefined }>;
	cancel(reason?: unknown): Promise<void>;
	releaseLock(): void;
}

/** The part of `ReadableStream` that the core uses; any Web Streams implementation fits, native or foreign. */
export interface ReadableStreamLike<T> {
	getReader(): StreamReaderLike<T>;
}

interface TextDecoderLike {
	decode(bytes?: Uint8Array): string;
}

interface TextEncoderLike {
	encode(text: string): Uint8Array;
	encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}

interface WebGlobals {
	readonly TextDecoder: new (label: string, options: { fatal: boolean; ignoreBOM: boolean }) => TextDecoderLike;
	readonly TextEncoder: new () => TextEncoderLike;
	readonly AbortController: new () => AbortControllerLike;
}

const web = globalThis as unknown as WebGlobals;

const decoder: TextDecoderLike = new web.TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const forgivingDecoder: TextDecoderLike = new web.TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** Decodes bytes that are only shown to people (stderr, pollution): each invalid part becomes U+FFFD. Never for values. */
export function decodeUtf8Lossy(bytes: Uint8Array): string {
	return forgivingDecoder.decode(bytes);
}

/** UTF-8 encoder of the environment; never fails, so callers check well-formedness first. */
export const utf8Encoder: TextEncoderLike = new web.TextEncoder();

/** Decodes UTF-8, keeping a byte order mark as U+FEFF. Throws the environment's `TypeError` on invalid UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
	return decoder.decode(bytes);
}

/** Encodes a well-formed string as UTF-8. Lone surrogates must have been refused before. */
export function encodeUtf8(text: string): Uint8Array {
	return utf8Encoder.encode(text);
}

/** Makes a fresh `AbortController` of the environment. */
export function createAbortController(): AbortControllerLike {
	return new web.AbortController();
}
