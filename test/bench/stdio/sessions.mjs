// Ours below the SDK and the host: both session machines over the pipes of a real process.
import { PipeReader, PipeWriter, pipeTransport } from "../../../dist/adapters/node/process-transport.js";
import { stdioTransport } from "../../../dist/adapters/node/stdio.js";
import { ComponentSession, drive, HostSession } from "../../../dist/src/run/index.js";
import { fail } from "./work.mjs";

const ROOT = {
	input: null,
	settings: {},
	attachments: {},
	scratch: "/scratch",
	deadlineUnixMs: 1_787_558_400_000,
	channels: {},
};

export function open(input, output) {
	return new Promise((opened) => {
		const transport = stdioTransport(input, output);
		let made = 0;
		const session = new ComponentSession({
			wake: () => driver.wake(),
			start: () => opened({ call, close: () => session.finish({ outcome: "done", output: null }) }),
			cancelled: () => undefined,
			closed: (end) => {
				transport.stop();
				if (end.kind === "fatal") fail(end.message);
			},
		});
		const call = (method, value, done) => {
			made += 1;
			session.call(
				{ kind: "capability", operationId: `o:${made}`, slot: "bench", method, input: value, channels: {} },
				(settlement) => ("value" in settlement ? done(settlement.value) : fail(settlement)),
			);
		};
		const driver = drive(session, transport);
	});
}

export function serve(input, output, answer) {
	const transport = pipeTransport(new PipeReader(input), new PipeWriter(output));
	const session = new HostSession(ROOT, {
		wake: () => driver.wake(),
		dispatch: ({ call, settle }) => answer(call.method, call.input, (value) => settle({ value })),
		abandon: () => undefined,
		accept: () => undefined,
		responded: () => transport.end(),
		failed: (why) => fail(new Error(`the host session ended: ${why}`)),
	});
	const driver = drive(session, transport);
	session.start();
	driver.wake();
}
