/** Stands in for `node:fs`: the files that tests read are in the bundle, so the same ones are read in every runtime. */
declare const DISK: { readonly [path: string]: string };

const folder = (path: string): string => (path.endsWith("/") ? path : `${path}/`);

export function existsSync(path: string): boolean {
	return Object.hasOwn(DISK, path) || Object.keys(DISK).some((each) => each.startsWith(folder(path)));
}

export function readFileSync(path: string, encoding?: "utf8"): string | Uint8Array {
	if (!Object.hasOwn(DISK, path)) throw new Error(`${path} is not in the bundle: name it in bundle.mjs`);
	const text = DISK[path]!;
	return encoding === undefined ? new TextEncoder().encode(text) : text;
}

export function readdirSync(path: string): string[] {
	const inside = Object.keys(DISK).filter((each) => each.startsWith(folder(path)));
	return [...new Set(inside.map((each) => each.slice(folder(path).length).split("/")[0]!))].sort();
}
