import type { Browser } from "playwright-core";

/** The Chromium that tests drive, where there is one. */
export const chromiumPath: string | undefined;

/** Whether tests of a browser are to be skipped: never in CI, where a missing browser is a failure. */
export const needsChromium: boolean;

/** Starts it headless, with more flags if need be. Throws when there is none. */
export function launchChromium(flags?: readonly string[]): Promise<Browser>;
