import type { ModuleName } from "./messages.ts";

/** The names by which a package imports the SDK. */
const SDK_NAMES = ["millrace/sdk", "@jigging/flow"];

/** Where a package's files lie, as far as its modules can tell. */
const ROOT = "package:///";

/** Stands above the package while a specifier is resolved: what leads out of the package doesn't keep it. NUL is in no path. */
const PACKAGE = "/%00/";

/** What a specifier comes to, or why it can't be loaded. */
export type Resolution = ModuleName | { readonly fault: string };

/**
 * Resolves a specifier from the module at `path`, as an engine resolves URLs: `./` and `../` within the package, the SDK by its
 * names. Everything else is a fault: a page's Worker has no Node, no `node_modules` and no network.
 */
export function resolveSpecifier(specifier: string, path: string): Resolution {
	if (SDK_NAMES.includes(specifier)) return { sdk: true };
	if (/^node:/.test(specifier)) return { fault: "is a module of Node, which a page doesn't have" };
	if (/^[a-z][a-z0-9+.-]*:/i.test(specifier))
		return { fault: "is a URL; a Flow in a page loads nothing but its package" };
	if (!/^\.{1,2}\//.test(specifier)) {
		return {
			fault: specifier.startsWith("/")
				? "is no relative path; write it from the file that imports it, with ./ or ../"
				: "is no file of the package; bundle what you depend on",
		};
	}
	if (/%2f|%5c/i.test(specifier)) return { fault: "has an escaped slash, which no name of a file has" };
	// In the URLs of files, which modules have elsewhere, the two slashes are one.
	const url = new URL(specifier.replaceAll("\\", "/"), `package://${PACKAGE}${encodePath(path)}`);
	if (!url.pathname.startsWith(PACKAGE)) return { fault: "leads out of the package" };
	if (url.search !== "" || url.hash !== "")
		return { fault: "has a query or a fragment, which no file of a package has" };
	let target: string;
	try {
		target = decodeURIComponent(url.pathname.slice(PACKAGE.length));
	} catch {
		return { fault: "is no well-formed URL" };
	}
	return { path: target };
}

/** What `import.meta.url` is in the module at `path`. */
export function urlOf(path: string): string {
	return ROOT + encodePath(path);
}

function encodePath(path: string): string {
	return path.split("/").map(encodeURIComponent).join("/");
}
