/** What is shown of a row when it is open. */
import { encodeTraceLine } from "millrace/host";
import { bytesOf } from "./filter.ts";
import type { Row, SequenceModel } from "./model.ts";

/** Bytes of a frame that is indented; a longer one is shown as it is. */
const INDENTED = 1_048_576;

export interface Content {
	readonly title: "Frame" | "Diagnostics" | "Event";
	readonly json: boolean;
	/** How many bytes the frame or the diagnostics have. */
	readonly bytes?: number;
	readonly text: string;
}

export function contentOf(model: SequenceModel, row: Row): Content {
	const bytes = bytesOf(model, row);
	const event = model.events[row.event]!;
	if (bytes === undefined) return { title: "Event", json: true, text: indented(encodeTraceLine(event, true)) };
	const text = new TextDecoder().decode(bytes);
	if (event.event.type === "stderr") return { title: "Diagnostics", json: false, bytes: bytes.length, text };
	return { title: "Frame", json: true, bytes: bytes.length, text: bytes.length > INDENTED ? text : indented(text) };
}

function indented(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), undefined, 2);
	} catch {
		return text;
	}
}
