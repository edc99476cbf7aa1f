/** The violations in the text of the file that lies at `path` in the repository. */
export function checkText(path: string, text: string): string[];
/** All violations of the source and of what the compiler made of it. */
export function floorViolations(): string[];
