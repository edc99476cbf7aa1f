/** Prints the closing line of a run, or, with MILLRACE_COUNTS, adds its counts to that file and says that they are `runner`'s. */
export function addCounts(
	runner: string,
	counts: { readonly passed: number; readonly failed: number; readonly skipped: number },
): void;
