/** JSON for a person to edit: indented, with short lists and objects of plain values on one line. */
import type { JsonValue } from "millrace";

/** The longest that stands on one line. */
const LINE = 60;

export function layOut(value: JsonValue, indent = ""): string {
	if (typeof value !== "object" || value === null) return JSON.stringify(value);
	const deeper = `${indent}  `;
	const list = Array.isArray(value);
	const parts = list
		? value.map((item) => layOut(item, deeper))
		: Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${layOut(member, deeper)}`);
	const [open, close] = list ? "[]" : "{}";
	if (parts.length === 0) return `${open}${close}`;
	const flat = parts.join(", ");
	if (list && flat.length <= LINE && !flat.includes("\n")) return `${open}${flat}${close}`;
	return `${open}\n${parts.map((part) => `${deeper}${part}`).join(",\n")}\n${indent}${close}`;
}
