/** Stands in for `node:module`: a `require` of JSON that is in the bundle. */
import { readFileSync } from "./node-fs.ts";

export function createRequire(): (name: string) => unknown {
	return (name) => JSON.parse(readFileSync(`/node_modules/${name}`, "utf8") as string);
}
