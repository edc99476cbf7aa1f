/** Bundles a few lines for a web page; rejects on an import that a page has no answer for. */
export function bundle(
	code: string,
	options?: { readonly minify?: boolean },
): Promise<{ readonly bytes: number; readonly gzip: number; readonly modules: readonly string[] }>;
