/** The path of the text that the public types are held against. */
export const SNAPSHOT: string;

/** The public types of every door, as text. */
export function describeApi(): string;
