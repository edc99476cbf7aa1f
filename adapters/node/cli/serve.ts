import { type Answer, answerLine, createDriver } from "../../../conformance/driver.ts";
import { decodeUtf8 } from "../../../src/web.ts";
import { digestPackage, inspectPackage } from "../packages.ts";
import { nodeSha256 } from "../sha256.ts";
import { type Line, linesOf } from "./lines.ts";
import { write } from "./output.ts";

/** Bytes of one line of the driver protocol (DRIVER.md). */
export const LINE_BYTES = 67_108_864;

/**
 * `millrace conformance serve`: our own driver on stdio, one answer for each line. It ends when stdin does or when nobody
 * reads its answers any more, never because of a request.
 */
export async function serveCommand(): Promise<void> {
	const driver = createDriver({ sha256: nodeSha256, trees: { digestPackage, inspectPackage } });
	for await (const line of linesOf(process.stdin, LINE_BYTES)) {
		if (!(await write(process.stdout, `${await answer(driver, line)}\n`))) return;
	}
}

async function answer(driver: ReturnType<typeof createDriver>, line: Line): Promise<string> {
	if ("tooLong" in line) return badRequest(`a line has more than ${LINE_BYTES} bytes`);
	let text: string;
	try {
		text = decodeUtf8(line.bytes);
	} catch {
		return badRequest("the line is not UTF-8");
	}
	try {
		return await answerLine(driver, text);
	} catch (error) {
		// An id that was nested too deeply to be repeated, or the like.
		return badRequest(`the request can't be answered: ${String(error)}`);
	}
}

function badRequest(why: string): string {
	return JSON.stringify({ ok: false, badRequest: why } satisfies Answer);
}
