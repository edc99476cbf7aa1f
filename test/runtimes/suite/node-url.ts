/** Stands in for `node:url`. */
export function fileURLToPath(url: URL | string): string {
	return decodeURIComponent(new URL(url).pathname);
}
