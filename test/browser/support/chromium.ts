/** One real Chromium for tests that drive a page. */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

/** Where a Chromium may be installed; `MILLRACE_CHROMIUM` names another. */
const PLACES = [
	process.env.MILLRACE_CHROMIUM,
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	chromium.executablePath(),
];

/** The Chromium that tests drive. Where there is none they are skipped by name, but fail in CI: see {@link needsChromium}. */
export const chromiumPath: string | undefined = PLACES.find((path) => path !== undefined && existsSync(path));

/** Whether tests of a browser are to be skipped: never in CI, where a missing browser is a failure. */
export const needsChromium: boolean = chromiumPath === undefined && !process.env.CI;

/** Starts a headless Chromium that looks for nothing outside this machine. */
export function launchChromium(): Promise<Browser> {
	if (chromiumPath === undefined) throw new Error("There is no Chromium: install it, or set MILLRACE_CHROMIUM.");
	return chromium.launch({
		executablePath: chromiumPath,
		args: [
			"--headless",
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
}
