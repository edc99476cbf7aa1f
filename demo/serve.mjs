// `npm run demo [-- --port N]`: serves the built page on this machine. Any static server does as well; nothing here is needed by it.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize, sep } from "node:path";
import { pipeline } from "node:stream";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const folder = fileURLToPath(new URL("../dist/page", import.meta.url));
const TYPES = {
	".html": "text/html; charset=utf-8",
	".js": "text/javascript; charset=utf-8",
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
};

function readPort() {
	const { values } = parseArgs({ options: { port: { type: "string", default: "8173" } } });
	if (!/^\d{1,5}$/.test(values.port) || Number(values.port) > 65_535) {
		throw new Error(`--port wants a number up to 65535, not ${JSON.stringify(values.port)}.`);
	}
	return Number(values.port);
}

/** The file that a request names, or undefined: nothing outside the folder, no listing. */
function fileOf(url) {
	try {
		const path = decodeURIComponent(new URL(url, "http://localhost").pathname);
		const file = normalize(join(folder, path.endsWith("/") ? `${path}index.html` : path));
		return file.startsWith(folder + sep) && statSync(file).isFile() ? file : undefined;
	} catch {
		// No URL, no such file, or a name that no file can have.
		return undefined;
	}
}

const server = createServer((request, response) => {
	const file = request.method === "GET" || request.method === "HEAD" ? fileOf(request.url ?? "/") : undefined;
	if (file === undefined) {
		response.writeHead(404, { "content-type": "text/plain" }).end("There is nothing here.\n");
		return;
	}
	response.writeHead(200, {
		"content-type": TYPES[extname(file)] ?? "application/octet-stream",
		"cache-control": "no-cache",
		"x-content-type-options": "nosniff",
	});
	if (request.method === "HEAD") response.end();
	else pipeline(createReadStream(file), response, () => {});
});
server.on("error", (error) => {
	console.error(
		error.code === "EADDRINUSE" ? `Port ${error.port} is taken; name another: npm run demo -- --port N` : error.message,
	);
	process.exitCode = 1;
});
try {
	const port = readPort();
	server.listen(port, "127.0.0.1", () => {
		console.log(`The page is at http://localhost:${server.address().port}/ (Ctrl+C ends it).`);
	});
} catch (error) {
	console.error(error.message);
	process.exitCode = 2;
}
