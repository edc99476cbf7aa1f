import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const candidate = process.env.MILLRACE_VECTORS ?? fileURLToPath(new URL("../../../shared/vectors", import.meta.url));

/** The standard's own vectors, when they lie beside the checkout or where `MILLRACE_VECTORS` says. */
export const vectorsDirectory: string | undefined = existsSync(candidate) ? candidate : undefined;

/** The bytes of one vector file, or undefined where the vectors are absent. */
export function vectorBytes(path: string): Uint8Array | undefined {
	return vectorsDirectory === undefined ? undefined : new Uint8Array(readFileSync(`${vectorsDirectory}/${path}`));
}

/** One vector file as a value, or undefined where the vectors are absent. */
export function vectors(path: string): unknown {
	const bytes = vectorBytes(path);
	return bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
}
