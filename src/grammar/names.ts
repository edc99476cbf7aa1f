/** The two name grammars that all FLOW specifications share. Both are ASCII, so characters, units and bytes are one. */

/** The longest `LocalName` (Package/1 section 2) and the longest token (Run/1 section 2), in characters. */
export const NAME_LIMITS: { readonly localName: 64; readonly token: 128 } = { localName: 64, token: 128 };

// In JavaScript `$` without the m flag is the very end: unlike elsewhere, a final newline doesn't slip through.
const LOCAL_NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const TOKEN = /^[A-Za-z0-9][A-Za-z0-9._:/-]*$/;

/**
 * Whether `text` is a `LocalName` (Package/1 section 2): 1 to 64 characters, lower-case ASCII letters and digits in groups
 * joined by single hyphens. Slots, methods, outcomes, attachments, channels and declared errors are named so.
 */
export function isLocalName(text: unknown): text is string {
	return typeof text === "string" && text.length <= NAME_LIMITS.localName && LOCAL_NAME.test(text);
}

/**
 * Whether `text` is a request id, operation id or endpoint token (Run/1 sections 1 and 2): 1 to 128 ASCII characters, a letter
 * or digit first, then letters, digits and `. _ : / -`.
 */
export function isToken(text: unknown): text is string {
	return typeof text === "string" && text.length <= NAME_LIMITS.token && TOKEN.test(text);
}
