import { join } from "node:path";
import {
	type AttachedRoot,
	type AttachRequest,
	type ComponentProcess,
	HostError,
	type HostRuntime,
	type LaunchRequest,
	type ScratchDirectory,
} from "../../src/host/index.ts";
import { attachWithoutSandbox } from "./attachments.ts";
import { schedule } from "./clock.ts";
import { componentEnvironment } from "./environment.ts";
import { type LauncherOptions, LauncherTable } from "./launchers.ts";
import { type Command, type LiveProcesses, startComponent } from "./process.ts";
import { nodeSha256 } from "./sha256.ts";
import { stagePackage } from "./staging.ts";
import { TemporaryDirectories } from "./temporary.ts";

/** What confines components, where a host has something that does. */
export interface Sandbox {
	/** Makes one attachment visible inside the sandbox, with no more than the granted access. */
	attach(request: AttachRequest): Promise<AttachedRoot>;
	/** The command that starts `command` inside the sandbox. */
	wrap(command: Command, request: LaunchRequest): Command;
}

export interface NodeRuntimeOptions extends LauncherOptions {
	/** Where stages, scratch directories and copies are made; default the system's temporary directory. */
	readonly temporary?: string | undefined;
	/** Hands over every granted `read-write` root where no sandbox confines the component to it; default only trusted ones. */
	readonly trustReadWriteAttachments?: boolean | undefined;
	readonly sandbox?: Sandbox | undefined;
}

/** The Node runtime of a host. */
export interface NodeRuntime extends HostRuntime {
	/**
	 * For the last moment of a program: kills every live component's group and removes every stage, scratch directory and
	 * copy, synchronously. The runtime is of no use afterwards. Called by itself when the program ends with some left.
	 */
	killNow(): void;
}

/**
 * Files, processes and clocks of this machine for `createHost`. Components run as this user, without a sandbox unless one is
 * given: their environment, descriptors, working directory and process group are theirs alone, but what this user may do
 * they may do as well. Run packages you trust, or give a sandbox.
 *
 * Throws `TypeError` for a launcher that isn't absolute. Works on Linux and macOS; Windows is not tested.
 */
export function nodeRuntime(options: NodeRuntimeOptions = {}): NodeRuntime {
	const table = new LauncherTable(options);
	const live: LiveProcesses = new Set();
	const temporary = new TemporaryDirectories(options.temporary, killNow);
	const { sandbox } = options;
	return {
		stage: (source, stageOptions) => stagePackage(source, stageOptions, temporary),
		launcherFor(entrypoint) {
			const found = table.find(entrypoint);
			return found.ok ? { ok: true, description: found.launcher.executable } : found;
		},
		async launch(request) {
			const command = commandFor(table, request);
			return start(sandbox === undefined ? command : sandbox.wrap(command, request), request, live);
		},
		async scratch(): Promise<ScratchDirectory> {
			let path: string;
			try {
				path = temporary.make("scratch");
			} catch (error) {
				throw new HostError("No private scratch directory could be made.", {
					code: "SCRATCH_FAILED",
					phase: "activation",
					cause: error,
				});
			}
			return { path, dispose: () => temporary.remove(path) };
		},
		attach: (request) =>
			sandbox === undefined
				? attachWithoutSandbox(request, temporary, options.trustReadWriteAttachments === true)
				: sandbox.attach(request),
		now: () => Date.now(),
		monotonic: () => performance.now(),
		schedule,
		sha256: nodeSha256,
		killNow,
	};

	function killNow(): void {
		for (const component of live) component.killNow();
		temporary.removeAllNow();
	}
}

function commandFor(table: LauncherTable, { staged, entrypoint, scratch }: LaunchRequest): Command {
	const found = table.find(entrypoint);
	if (!found.ok) throw new HostError(found.message, { code: found.code, phase: "activation" });
	const { launcher } = found;
	const entry = join(staged.root, entrypoint.path);
	let list: readonly string[];
	try {
		list = launcher.arguments?.(entry, entrypoint) ?? [entry];
	} catch (error) {
		throw launchFailed(launcher.executable, error);
	}
	return {
		executable: launcher.executable,
		arguments: list,
		directory: scratch,
		environment: componentEnvironment(scratch, launcher.environment),
	};
}

async function start(command: Command, request: LaunchRequest, live: LiveProcesses): Promise<ComponentProcess> {
	try {
		return await startComponent(command, live, request.signal);
	} catch (error) {
		if (request.signal?.aborted) throw error;
		throw launchFailed(command.executable, error);
	}
}

function launchFailed(executable: string, cause: unknown): HostError {
	const why = cause instanceof Error ? `: ${cause.message}` : "";
	return new HostError(`${executable} could not be started${why}.`, {
		code: "LAUNCH_FAILED",
		phase: "activation",
		cause,
	});
}
