/** A server that a Flow in a page must not reach: it lets everybody in, and keeps what comes. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface Outside {
	/** `127.0.0.1:PORT`. */
	readonly host: string;
	/** The paths that were asked for, in order; `upgrade PATH` for a WebSocket. */
	readonly requests: string[];
	close(): void;
}

export async function openOutside(): Promise<Outside> {
	const requests: string[] = [];
	const server = createServer((request, response) => {
		requests.push(request.url ?? "");
		response
			.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/javascript" })
			.end("export {};");
	});
	server.on("upgrade", (request, socket) => {
		requests.push(`upgrade ${request.url}`);
		socket.destroy();
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return { host: `127.0.0.1:${port}`, requests, close: () => void server.close() };
}
