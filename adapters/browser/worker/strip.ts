/** Takes the types out of TypeScript, to the letter as the Node adapter does; in a file of its own, to be loaded on use. */
import { transform } from "#sucrase";

/** The JavaScript of a TypeScript module, line for line. Throws a `SyntaxError` for what is none. */
export function stripTypes(text: string, path: string): string {
	return transform(text, {
		transforms: ["typescript"],
		disableESTransforms: true,
		keepUnusedImports: true,
		filePath: path,
	}).code;
}
