import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from "vscode-jsonrpc/node";
import { fail } from "./work.mjs";

const connect = (input, output) =>
	createMessageConnection(new StreamMessageReader(input), new StreamMessageWriter(output));

export function open(input, output) {
	const connection = connect(input, output);
	connection.listen();
	return {
		call: (method, value, done) => connection.sendRequest(method, { value }).then(({ value }) => done(value), fail),
		close: () => process.exit(0),
	};
}

export function serve(input, output, answer) {
	const connection = connect(input, output);
	for (const method of ["echo", "turn"]) {
		connection.onRequest(
			method,
			({ value }) => new Promise((resolve) => answer(method, value, (value) => resolve({ value }))),
		);
	}
	connection.listen();
}
