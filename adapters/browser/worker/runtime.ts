import { HostError, type HostRuntime, type LauncherChoice, type LaunchRequest } from "../../../src/host/index.ts";
import type { Entrypoint } from "../../../src/package/index.ts";
import { portableSha256 } from "../../../src/sha256.ts";
import { schedule } from "../../node/clock.ts";
import { launchWorker } from "./launch.ts";
import { WORKER_LIMITS, type WorkerLimits } from "./meter.ts";
import { type MemoryStage, stageInMemory } from "./stage.ts";

/** How a page runs Flows. */
export interface BrowserRuntimeOptions {
	/**
	 * Where `millrace/browser/frame.html` is served, relative to the page: the file that each Run is confined in. The page's own
	 * policy has to let it in (`frame-src`).
	 */
	readonly frame: string | URL;
	/** Bytes of one package that are kept in memory at most; a larger one is `PACKAGE_CAPACITY` when it is loaded. Default 64 MiB. */
	readonly stageBytes?: number | undefined;
	/** What one Worker may send, each by its name; default {@link WORKER_LIMITS}. */
	readonly limits?: Partial<WorkerLimits> | undefined;
}

const STAGE_BYTES = 67_108_864;

const SUFFIXES = ["mjs", "js", "ts"];

/**
 * Runs packages in a page, for `createHost({ runtime: browserRuntime({ frame: "./frame.html" }) })`: each Run in a Worker of
 * its own, in a hidden frame of its own without an origin (`sandbox="allow-scripts"`), whose content policy lets no request
 * out. There is no DOM, no network, no storage and no other Worker in there. It is ended by taking the frame away: at the
 * deadline, on a flood, and when it is over; and it ends where the page itself takes away, moves or reloads the frame, which
 * lies beside the body.
 *
 * The entrypoint is `.mjs`, `.js` or `.ts` (an ES module in each case), without a selector. It can import the modules of its
 * own package (`.mjs`, `.js`, `.mts`, `.ts`, and `.json` with `{ type: "json" }`), not in a circle, and the SDK. There is no file
 * system: `run.scratch` is a name that nothing lies behind, attachments are refused, and a package can't read its own files
 * but by importing them.
 *
 * A Worker ends as a process does. Its exit code is 0 when the entrypoint's evaluation has fulfilled, `handle` has ended well
 * and no exception or rejection was left to nobody; 1 otherwise; none, with the signal "SIGKILL", when it was ended from
 * outside. What it still does then, timers and all, ends with it.
 *
 * A browser slows the timers of a page that is not looked at: deadlines can come late there, by a minute at worst.
 */
export function browserRuntime(options: BrowserRuntimeOptions): HostRuntime {
	const limits: WorkerLimits = { ...WORKER_LIMITS, ...options.limits };
	const frame = String(options.frame);
	return {
		stage: (source, stageOptions) => stageInMemory(source, stageOptions, options.stageBytes ?? STAGE_BYTES),
		launcherFor,
		launch: (request) => launch(request, frame, limits),
		scratch: () => Promise.resolve({ path: "/scratch", dispose: () => Promise.resolve() }),
		attach: ({ name }) =>
			Promise.reject(
				new HostError(`The attachment "${name}" can't be given: a page has no files to attach.`, {
					code: "ATTACHMENT_ACCESS",
					phase: "activation",
				}),
			),
		now: () => Date.now(),
		monotonic: () => performance.now(),
		schedule,
		sha256: portableSha256,
	};
}

function launcherFor({ path, suffix, selector }: Entrypoint): LauncherChoice {
	if (selector !== undefined) {
		return {
			ok: false,
			code: "SELECTOR_UNSUPPORTED",
			message: `${path} asks for "${selector}"; a page has one runtime, the browser's own.`,
		};
	}
	if (SUFFIXES.includes(suffix)) return { ok: true, description: "a Worker of this page" };
	return {
		ok: false,
		code: "RUNTIME_UNSUPPORTED",
		message: `A page runs .mjs, .js and .ts entrypoints, not ".${suffix}" (${path}).`,
	};
}

async function launch(
	{ staged, entrypoint, signal }: LaunchRequest,
	frame: string,
	limits: WorkerLimits,
): ReturnType<HostRuntime["launch"]> {
	const { files } = staged as MemoryStage;
	const hasTypes = [...files.keys()].some((path) => /\.m?ts$/.test(path));
	const [{ linkModules }, strip] = await Promise.all([
		import("./link.ts"),
		hasTypes ? import("./strip.ts").then(({ stripTypes }) => stripTypes) : undefined,
	]);
	return launchWorker(frame, entrypoint.path, await linkModules(entrypoint.path, files, strip, signal), limits, signal);
}
