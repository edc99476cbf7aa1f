import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * A file that the build makes, found from the built adapter (`dist/adapters/node/`) and from its source alike. `path` is
 * relative to `dist/`. Undefined where the build hasn't made it.
 */
export function builtFile(path: string): string | undefined {
	for (const base of ["../../", "../../dist/"]) {
		const candidate = fileURLToPath(new URL(`${base}${path}`, import.meta.url));
		if (existsSync(candidate)) return candidate;
	}
	return undefined;
}
