/**
 * What a worker thread begins with: lends the SDK its port, then runs the package's entrypoint. The console writes to stderr, as
 * in a component process; what is written to stdout there is no protocol, and is shown like stderr.
 */
import process from "node:process";
import { workerData } from "node:worker_threads";
import { portTransport } from "../../src/run/port.ts";
import { redirectConsole } from "./console.ts";
import { lendEnvironment } from "./lent.ts";
import type { WorkerData } from "./worker.ts";

const { port, entry, loader } = workerData as WorkerData;

lendEnvironment({
	open() {
		// Not before the SDK asks for it: a port that is listened to keeps its thread alive.
		const transport = portTransport(port);
		redirectConsole(console.Console, process.stderr);
		// The SDK stops when its terminal is flushed: nothing comes after that, so the thread needs no process that ends.
		return {
			...transport,
			stop() {
				transport.stop();
				transport.end();
			},
		};
	},
	report(text) {
		process.stderr.write(`${text}\n`);
	},
	failed() {
		process.exitCode = 1;
	},
});

async function begin(): Promise<void> {
	if (loader !== undefined) await import(loader);
	await import(entry);
}

// What it rejects with ends the thread, as it would end a process.
void begin();
