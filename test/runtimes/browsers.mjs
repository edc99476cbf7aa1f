// Runs the bundled suite in a real browser: a page on localhost imports it and posts its report back, so that no driver
// stands between, and any browser will do that can be started with an address.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromiumPath, launchChromium } from "../browser/support/chromium.mjs";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** What the page does; its address says how. */
const SCRIPT = `
const post = (what, body) => fetch(what, { method: "POST", body: JSON.stringify(body) });
const options = JSON.parse(decodeURIComponent(location.hash.slice(1)));
addEventListener("error", (event) => post("/report", { error: String(event.message) }));
try {
	const { runSuite } = await import("/suite.js");
	const report = await runSuite({ ...options, onFile: (path) => void post("/at", path) });
	await post("/report", { report, agent: navigator.userAgent });
} catch (error) {
	await post("/report", { error: String(error.stack ?? error) });
}
`;

/** What a page is served with. */
const PLAIN = { "cache-control": "no-store" };

/** Memory that is shared with a Worker, which a test hands to the reader, takes a page that is isolated. */
const ISOLATED = {
	...PLAIN,
	"cross-origin-opener-policy": "same-origin",
	"cross-origin-embedder-policy": "require-corp",
};

/** A page that runs the suite; `reported` is what it posts, `lastFile()` the test file that it was through with last. */
async function pageServer(suite, options) {
	// In an isolated page WebKit starts no Worker whose frame has no origin.
	const headers = options.ofPage ? PLAIN : ISOLATED;
	let answer;
	let last = "no file";
	const reported = new Promise((resolve) => {
		answer = resolve;
	});
	const files = {
		"/": ["text/html", '<!doctype html><title>millrace</title><body><script type="module" src="/page.js"></script>'],
		"/page.js": ["text/javascript", SCRIPT],
		"/suite.js": ["text/javascript", readFileSync(suite)],
		"/browser/frame.html": ["text/html", readFileSync(`${repository}dist/browser/frame.html`)],
	};
	/** What was asked for below `/outside/`, which a Flow must not reach. */
	const outside = [];
	const server = createServer((request, response) => {
		if (request.url.startsWith("/outside/")) {
			outside.push(request.url);
			response.writeHead(200, { ...headers, "access-control-allow-origin": "*" }).end();
			return;
		}
		if (request.url === "/asked") {
			if (request.method === "DELETE") outside.length = 0;
			response.writeHead(200, { ...headers, "content-type": "application/json" }).end(JSON.stringify(outside));
			return;
		}
		if (request.method === "POST") {
			let body = "";
			request.setEncoding("utf8");
			request.on("data", (part) => {
				body += part;
			});
			request.on("end", () => {
				if (request.url === "/at") last = JSON.parse(body);
				else answer(JSON.parse(body));
				response.writeHead(204, headers).end();
			});
			return;
		}
		const [type, body] = files[request.url] ?? [];
		if (type === undefined) response.writeHead(404, headers).end();
		else response.writeHead(200, { ...headers, "content-type": `${type}; charset=utf-8` }).end(body);
	});
	await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
	return {
		url: `http://127.0.0.1:${server.address().port}/#${encodeURIComponent(JSON.stringify(options))}`,
		reported,
		lastFile: () => last,
		close: () => {
			server.closeAllConnections();
			server.close();
		},
	};
}

/** Starts a program in a group of its own; `stop` ends all of it. */
function startGroup(command, args, env) {
	const child = spawn(command, args, { detached: true, stdio: ["ignore", "ignore", "pipe"], env });
	let said = "";
	child.stderr.setEncoding("utf8");
	child.stderr.on("data", (part) => {
		said = (said + part).slice(-4_000);
	});
	const over = new Promise((resolve) => {
		child.once("error", (error) => resolve(`did not start: ${error.message}`));
		child.once("exit", (code, signal) => resolve(`ended with ${signal ?? code}: ${said.trim()}`));
	});
	const stop = async () => {
		try {
			process.kill(-child.pid, "SIGKILL");
		} catch {
			// It has ended already.
		}
		await over;
	};
	return { over, stop };
}

/** Firefox asks nobody anything, neither its maker nor its user. */
const FIREFOX_SETTINGS = {
	"app.normandy.enabled": false,
	"app.update.enabled": false,
	"browser.aboutwelcome.enabled": false,
	"browser.shell.checkDefaultBrowser": false,
	"browser.startup.homepage_override.mstone": "ignore",
	"datareporting.policy.dataSubmissionEnabled": false,
	"dom.max_script_run_time": 0,
	"extensions.systemAddon.update.enabled": false,
	"network.captive-portal-service.enabled": false,
	"network.connectivity-service.enabled": false,
	"services.settings.server": "data:,",
	"toolkit.telemetry.reportingpolicy.firstRun": false,
};

function startFirefox(path, url) {
	const profile = mkdtempSync(join(tmpdir(), "millrace-firefox-"));
	const settings = Object.entries(FIREFOX_SETTINGS).map(
		([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`,
	);
	writeFileSync(join(profile, "user.js"), settings.join("\n"));
	const group = startGroup(path, ["--headless", "--no-remote", "--profile", profile, url], {
		...process.env,
		HOME: profile,
	});
	return {
		over: group.over,
		stop: async () => {
			await group.stop();
			rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

function startWebKit(path, url) {
	const home = mkdtempSync(join(tmpdir(), "millrace-webkit-"));
	const env = { ...process.env, HOME: home, XDG_CACHE_HOME: home, XDG_DATA_HOME: home, XDG_CONFIG_HOME: home };
	const group = startGroup("xvfb-run", ["--auto-servernum", path, "--private", url], env);
	return {
		over: group.over,
		stop: async () => {
			await group.stop();
			rmSync(home, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

async function startChromium(url) {
	const browser = await launchChromium();
	const over = new Promise((resolve) => browser.once("disconnected", () => resolve("was disconnected")));
	const page = await browser.newPage();
	const crashed = new Promise((resolve) => page.once("crash", () => resolve("crashed")));
	await page.goto(url);
	return { over: Promise.race([over, crashed]), stop: () => browser.close() };
}

const firstOf = (paths) => paths.find((path) => path !== undefined && existsSync(path));

/** Debian keeps WebKit's small browser beside the library's own processes. */
function miniBrowser() {
	for (const library of ["/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/libexec"]) {
		if (!existsSync(library)) continue;
		const places = readdirSync(library).filter((name) => /^webkit(?:2gtk|gtk)-/.test(name));
		const found = firstOf(places.sort().map((name) => join(library, name, "MiniBrowser")));
		if (found !== undefined) return found;
	}
	return undefined;
}

const firefox = firstOf([process.env.MILLRACE_FIREFOX, "/usr/bin/firefox-esr", "/usr/bin/firefox"]);
const webkit = firstOf([process.env.MILLRACE_WEBKIT, miniBrowser()]);
const display = firstOf(["/usr/bin/xvfb-run"]);

/** The version in a line like `Mozilla Firefox 153.8.0esr`. */
function versionOf(command, args) {
	try {
		const options = { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], timeout: 30_000 };
		return /\d+(?:\.\d+)+/.exec(execFileSync(command, args, options))?.[0] ?? "?";
	} catch {
		return "?";
	}
}

/** The browsers of the matrix; `path` is undefined where one isn't installed, and `lacks` says what to install. */
export const BROWSERS = [
	{
		name: "Chromium",
		path: chromiumPath,
		lacks: "chromium",
		version: () => versionOf(chromiumPath, ["--version"]),
		start: startChromium,
	},
	{
		name: "Firefox",
		path: firefox,
		lacks: "firefox-esr",
		version: () => versionOf(firefox, ["--version"]),
		start: (url) => startFirefox(firefox, url),
	},
	{
		name: "WebKit (GTK)",
		path: display && webkit,
		lacks: "webkit2gtk-driver and xvfb",
		version: () => versionOf(display, ["--auto-servernum", webkit, "--version"]),
		start: (url) => startWebKit(webkit, url),
	},
];

/** Runs the suite in a browser. Resolves to its report, or rejects with what became of the browser or its page. */
export async function runInBrowser(browser, suite, options, deadline) {
	const page = await pageServer(suite, options);
	let timer;
	let started;
	try {
		started = await browser.start(page.url);
		const late = new Promise((resolve) => {
			timer = setTimeout(() => resolve({ error: `no report after ${deadline / 1_000} s` }), deadline);
		});
		const over = started.over.then((how) => ({ error: `the browser ${how}` }));
		const { report, error } = await Promise.race([page.reported, late, over]);
		if (report === undefined) throw new Error(`${error} (after ${page.lastFile()})`);
		return report;
	} finally {
		clearTimeout(timer);
		await started?.stop();
		page.close();
	}
}
