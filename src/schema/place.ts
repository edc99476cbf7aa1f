/**
 * Where a schema stands, as a chain of steps. Its pointer is rendered only when somebody asks: the pointers of all schemas
 * of one file, written out, can be a thousand times the file.
 */

import { appendPointer } from "../json/index.ts";

/**
 * A root (with the pointer of the schema in its document), or a step down through a keyword and perhaps a name or index. What
 * tells them apart is always their own.
 */
export type Place =
	| { readonly parent: undefined; readonly pointer: string }
	| { readonly parent: Place; readonly keyword: string; readonly token: string | number | undefined };

/** The place of a root. */
export function rootPlace(pointer: string): Place {
	return { parent: undefined, pointer };
}

/** The RFC 6901 pointer of a place, or of one keyword there, or of one entry of that keyword's value. */
export function pointerOf(place: Place, keyword?: string, token?: string | number): string {
	const tail: (string | number)[] = [];
	if (token !== undefined) tail.push(token);
	if (keyword !== undefined) tail.push(keyword);
	let at = place;
	while (at.parent !== undefined) {
		if (at.token !== undefined) tail.push(at.token);
		tail.push(at.keyword);
		at = at.parent;
	}
	let pointer = at.pointer;
	for (let i = tail.length - 1; i >= 0; i--) pointer = appendPointer(pointer, tail[i]!);
	return pointer;
}
