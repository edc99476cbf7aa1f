/** Where Deno and Bun are, for tests that run them by Node: a test may search, the library never does. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = fileURLToPath(new URL(".", import.meta.url));

/** As `npm ci --prefix test/runtimes` leaves them: their packages' own scripts, which would move them, need not run. */
const PLACES = {
	deno: "node_modules/@deno/linux-x64-glibc/deno",
	bun: "node_modules/@oven/bun-linux-x64/bin/bun",
};

/** The executable, there or on PATH. */
export function installed(name: keyof typeof PLACES): string | undefined {
	const path = (process.env.PATH ?? "").split(delimiter).map((place) => join(place, name));
	return [join(here, PLACES[name]), ...path].find(existsSync);
}
