import { memoryPipe } from "../run/index.ts";
import { createHandle, type RunHandler } from "../sdk/index.ts";
import { encodeUtf8 } from "../web.ts";
import type { ComponentProcess, ExitEvidence, HostRuntime, StderrSink } from "./ports.ts";

/**
 * Starts a handler of the host's program as a component: the same SDK, behind a pipe in memory, so that it goes down the
 * same corridor as a process. It ends when the handler has settled and the SDK has closed, with 0, or 1 after a fatal end.
 *
 * There is no isolation and no force: ending it means closing its input, which aborts `run.signal`. A handler that
 * doesn't stop then can't be proven gone, and its Run says so.
 */
export function startHandler(handler: RunHandler, runtime: HostRuntime): ComponentProcess {
	const [transport, inner] = memoryPipe();
	const diagnostics = new Diagnostics();
	let begun: Promise<unknown> = Promise.resolve();
	const handle = createHandle({
		open: () => inner,
		report: (text) => diagnostics.write(`${text}\n`),
		failed: () => undefined,
	});
	const served = handle((context) => {
		const running = (async () => handler(context))();
		begun = running.catch(() => undefined);
		return running;
	});
	let gone = false;
	const exited = served
		.then(
			() => 0,
			() => 1,
		)
		.then(async (exitCode): Promise<ExitEvidence> => {
			await begun;
			gone = true;
			inner.end();
			diagnostics.end();
			return { exitCode, signal: null };
		});
	return {
		description: "a handler of this program",
		transport,
		stderr: { listen: (sink) => diagnostics.listen(sink) },
		exited,
		terminate: () => transport.end(),
		kill: () => transport.end(),
		async fence(timeoutMs) {
			transport.end();
			if (!gone) {
				await new Promise<void>((resolve) => {
					const cancel = runtime.schedule(timeoutMs, resolve);
					void exited.then(() => {
						cancel();
						resolve();
					});
				});
			}
			transport.stop();
			diagnostics.end();
			return gone ? { gone } : { gone, detail: "the handler did not stop when its signal was aborted" };
		},
	};
}

/** What the SDK reports, kept until somebody listens. */
class Diagnostics {
	#sink: StderrSink | undefined;
	#early: Uint8Array[] = [];
	#ended = false;

	write(text: string): void {
		if (this.#ended) return;
		const bytes = encodeUtf8(text);
		if (this.#sink === undefined) this.#early.push(bytes);
		else this.#sink.chunk(bytes);
	}

	listen(sink: StderrSink): void {
		this.#sink = sink;
		for (const bytes of this.#early.splice(0)) sink.chunk(bytes);
		if (this.#ended) sink.ended();
	}

	end(): void {
		if (this.#ended) return;
		this.#ended = true;
		this.#sink?.ended();
	}
}
