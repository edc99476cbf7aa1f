/** Where components may look for programs: fixed, never the host's own PATH. */
const PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The whole environment of a component, built from nothing: what isn't named here doesn't exist for it. No variable of
 * the host is inherited, so neither are credentials, `NODE_*`, `LD_*`, `DYLD_*`, `PYTHON*`, `DENO_*` or `BUN_*`.
 *
 * `scratch` is its HOME and temporary directory. `PYTHONDONTWRITEBYTECODE` keeps Python from writing beside the modules
 * it loads from the stage. `extra` is what a launcher of the host's own table adds.
 */
export function componentEnvironment(
	scratch: string,
	extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
	const environment: Record<string, string> = {
		PATH,
		HOME: scratch,
		TMPDIR: scratch,
		LANG: "C.UTF-8",
		PYTHONDONTWRITEBYTECODE: "1",
	};
	if (process.platform === "win32") {
		// Windows starts hardly any program without its own directory in the environment. Not tested there.
		const system = process.env.SystemRoot ?? "C:\\Windows";
		Object.assign(environment, { SystemRoot: system, PATH: `${system}\\System32`, TEMP: scratch, TMP: scratch });
		environment.USERPROFILE = scratch;
	}
	return Object.assign(environment, extra);
}
