// The child is the MCP client here, because the caller is what is measured; the transport is the same for both roles.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { ResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { fail } from "./work.mjs";

/** Waiting for one's turn takes longer than the default allows. */
const PATIENT = { timeout: 2 ** 31 - 1 };

export async function open(input, output) {
	const client = new Client({ name: "bench", version: "1.0.0" }, { capabilities: {} });
	await client.connect(new StdioServerTransport(input, output));
	return {
		call: (method, value, done) =>
			client.request({ method, params: { value } }, ResultSchema, PATIENT).then(({ value }) => done(value), fail),
		close: () => process.exit(0),
	};
}

export async function serve(input, output, answer) {
	const server = new Server({ name: "bench", version: "1.0.0" }, { capabilities: {} });
	server.fallbackRequestHandler = ({ method, params }) =>
		new Promise((resolve) => answer(method, params.value, (value) => resolve({ value })));
	await server.connect(new StdioServerTransport(input, output));
}
