// The limit: newline-delimited JSON with batched writes and no check of anything, in the message shapes of Run/1.

const decoder = new TextDecoder();

/** Sends messages in one write a microtask, one write at a time; hands every received message to `receive`. */
function connect(input, output, receive) {
	let queue = [];
	let writing = false;
	let scheduled = false;
	let rest = "";
	const flush = () => {
		scheduled = false;
		if (writing || queue.length === 0) return;
		writing = true;
		const batch = queue.join("");
		queue = [];
		output.write(batch, () => {
			writing = false;
			flush();
		});
	};
	input.on("data", (bytes) => {
		const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
		rest = lines.pop();
		for (const line of lines) receive(JSON.parse(line));
	});
	return (message) => {
		queue.push(`${JSON.stringify(message)}\n`);
		if (scheduled) return;
		scheduled = true;
		Promise.resolve().then(flush);
	};
}

export function open(input, output) {
	const pending = new Map();
	let made = 0;
	const send = connect(input, output, ({ id, result }) => {
		const done = pending.get(id);
		pending.delete(id);
		done(result.value);
	});
	return {
		call(method, value, done) {
			made += 1;
			const id = `component:${made}`;
			pending.set(id, done);
			const params = { operationId: `o:${made}`, slot: "bench", method, input: value };
			send({ jsonrpc: "2.0", id, method: "capability/call", params });
		},
		close: () => process.exit(0),
	};
}

export function serve(input, output, answer) {
	const send = connect(input, output, ({ id, params }) => {
		answer(params.method, params.input, (value) => send({ jsonrpc: "2.0", id, result: { value } }));
	});
}
