/** Where a transport delivers what it reads. Exactly one of `ended` and `failed` comes, last. */
export interface TransportSink {
	chunk(bytes: Uint8Array): void;
	ended(): void;
	failed(error: unknown): void;
}

/** Bytes in and out, whatever carries them. */
export interface Transport {
	/** Starts reading. Called once. */
	listen(sink: TransportSink): void;
	/** Writes `bytes`; `done` is called once, after the runtime's buffers took them (flush). One write at a time. */
	write(bytes: Uint8Array, done: (error?: unknown) => void): void;
	/**
	 * As `write`, for the UTF-8 of a well-formed text: where a runtime's stream takes text, it needs no buffer in between.
	 * Absent: encode it.
	 */
	writeText?(text: string, done: (error?: unknown) => void): void;
	/** Half-closes our sending side, after what was written. */
	end(): void;
	/** Stops reading, so that a process can exit while the peer keeps its end open. */
	stop(): void;
}
