// One real Chromium, for tests and benches that drive a page.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/** Where a Chromium may be installed; `MILLRACE_CHROMIUM` names another. */
const PLACES = [
	process.env.MILLRACE_CHROMIUM,
	"/usr/bin/chromium",
	"/usr/bin/chromium-browser",
	"/usr/bin/google-chrome",
	chromium.executablePath(),
];

export const chromiumPath = PLACES.find((path) => path !== undefined && existsSync(path));

export const needsChromium = chromiumPath === undefined && !process.env.CI;

/** Nothing is looked for outside this machine. */
const FLAGS = [
	"--headless",
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--no-first-run",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
];

export function launchChromium(flags = []) {
	if (chromiumPath === undefined) throw new Error("There is no Chromium: install it, or set MILLRACE_CHROMIUM.");
	return chromium.launch({ executablePath: chromiumPath, args: [...FLAGS, ...flags] });
}
