// A static file server on localhost, for tests and benches.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const TYPES = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".json": "application/json",
	".svg": "image/svg+xml",
};

/** Serves `folder`, and `extra` before it, on a free port. Nothing is cached. */
export async function serve(folder, extra = {}, headers = {}) {
	const server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname);
		const own = extra[path];
		const common = { "cache-control": "no-store", ...headers };
		if (own !== undefined) {
			response.writeHead(200, { ...common, "content-type": own.type }).end(own.body);
			return;
		}
		const file = join(folder, normalize(path.endsWith("/") ? `${path}index.html` : path));
		const stats = statSync(file, { throwIfNoEntry: false });
		if (!file.startsWith(folder) || stats?.isFile() !== true) {
			response.writeHead(404, common).end();
			return;
		}
		response.writeHead(200, {
			...common,
			"content-type": TYPES[extname(file)] ?? "application/octet-stream",
			"content-length": stats.size,
		});
		createReadStream(file).pipe(response);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The server has no port.");
	return {
		url: `http://127.0.0.1:${address.port}`,
		close: () =>
			new Promise((resolve) => {
				server.closeAllConnections();
				server.close(() => resolve());
			}),
	};
}
