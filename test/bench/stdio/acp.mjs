import { Readable, Writable } from "node:stream";
import { agent, client, ndJsonStream } from "@agentclientprotocol/sdk";
import { fail } from "./work.mjs";

const streamOf = (input, output) => ndJsonStream(Writable.toWeb(output), Readable.toWeb(input));

export function open(input, output) {
	const connection = agent({ name: "bench" }).connect(streamOf(input, output));
	return {
		call: (method, value, done) =>
			connection.client.request(`bench/${method}`, { value }).then(({ value }) => done(value), fail),
		close: () => process.exit(0),
	};
}

export function serve(input, output, answer) {
	const app = client({ name: "bench" });
	for (const method of ["echo", "turn"]) {
		app.onRequest(
			`bench/${method}`,
			(params) => params,
			({ params: { value } }) => new Promise((resolve) => answer(method, value, (value) => resolve({ value }))),
		);
	}
	app.connect(streamOf(input, output));
}
