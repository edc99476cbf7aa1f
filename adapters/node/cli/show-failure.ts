import { escapeForDisplay } from "../../../src/display.ts";
import type { Phase } from "../../../src/host/index.ts";
import type { FailureReport } from "./failure.ts";
import { grouped, noteLine, paint, safeJson } from "./output.ts";

/** Diagnostics and characters of details shown to people; `--json` has all of them. */
const SHOWN = { diagnostics: 20, details: 2_000 } as const;

const PHASES: { readonly [phase in Phase]: string } = {
	package: "the package itself was refused",
	activation: "it ended before the component was asked anything",
	run: "it failed while it ran",
	acceptance: "it answered, and the answer was not accepted",
	cleanup: "the result was acceptable, what came after it failed",
};

/** Prints a failure for people: the sentence, the place, each diagnostic, the cause if it says more, what to do. */
export function printFailure(report: FailureReport): void {
	const lines = [noteLine("failed", `${paint.bold(report.code)}: ${escapeForDisplay(report.message)}`, paint.red)];
	const { phase } = report as { readonly phase?: Phase };
	if (phase !== undefined) lines.push(noteLine("phase", `${phase}: ${PHASES[phase]}`));
	const place = placeOf(report);
	if (place !== "") lines.push(noteLine("at", place));
	for (const line of diagnosticLines(report)) lines.push(noteLine("", line));
	const cause = report.cause as { code?: string; message: string } | undefined;
	if (cause !== undefined && !isSystemError(cause) && !report.message.includes(cause.message)) {
		const at = placeOf(cause);
		const code = cause.code === undefined ? "" : `${cause.code}: `;
		lines.push(noteLine("because", `${code}${escapeForDisplay(cause.message)}${at === "" ? "" : ` (${at})`}`));
	}
	for (const hint of (report.hints as readonly string[] | undefined) ?? []) lines.push(noteLine("hint", hint));
	process.stderr.write(`${lines.join("\n")}\n`);
}

/** What the system said has been put into words already. */
function isSystemError({ code }: { readonly code?: string }): boolean {
	return code !== undefined && /^E[A-Z0-9]+$/.test(code);
}

function placeOf(report: Record<string, unknown>): string {
	const parts: string[] = [];
	for (const name of ["source", "path", "otherPath"])
		if (report[name] !== undefined) parts.push(escapeForDisplay(String(report[name])));
	const inMessage = String(report.message).includes(`line ${report.line},`);
	if (report.line !== undefined && !inMessage) parts.push(`line ${report.line}, column ${report.column}`);
	if (report.offset !== undefined && !inMessage) parts.push(`byte ${grouped(Number(report.offset))}`);
	if (report.pointer !== undefined) parts.push(`value ${showPointer(report.pointer)}`);
	if (report.schemaPointer !== undefined) parts.push(`schema ${showPointer(report.schemaPointer)}`);
	if (report.keyword !== undefined) parts.push(`keyword ${escapeForDisplay(String(report.keyword))}`);
	return parts.join(", ");
}

/** A JSON Pointer for people: the root is named, since its pointer is the empty string. */
function showPointer(pointer: unknown): string {
	return pointer === "" ? "(root)" : escapeForDisplay(String(pointer));
}

/** What a diagnostic of a refused value says, from a schema or from a component's answer. */
export interface DiagnosticData {
	readonly instancePointer: string;
	readonly schemaPointer?: string;
	readonly keyword?: string;
	readonly message?: string;
}

/** The diagnostics of a report, or whatever else a component put into `details`, bounded. */
function diagnosticLines({ diagnostics, details }: FailureReport): string[] {
	const list = diagnostics ?? details;
	if (list === undefined) return [];
	if (!Array.isArray(list) || !list.every(isDiagnostic)) {
		const text = safeJson(list);
		return [`details ${text.length > SHOWN.details ? `${text.slice(0, SHOWN.details)}…` : text}`];
	}
	const more = list.length - SHOWN.diagnostics;
	return [
		...list.slice(0, SHOWN.diagnostics).map((each) => showDiagnostic(each)),
		...(more > 0 ? [`and ${grouped(more)} more`] : []),
	];
}

function isDiagnostic(value: unknown): value is DiagnosticData {
	return typeof value === "object" && value !== null && Object.hasOwn(value, "instancePointer");
}

/** One diagnostic of a refused value: where in the value, what is wrong, and which part of the schema says so. */
export function showDiagnostic(diagnostic: DiagnosticData, dim: (text: string) => string = paint.dim): string {
	const { instancePointer, schemaPointer, keyword, message } = diagnostic;
	const text = message ?? (keyword === undefined ? "refused" : `refused by "${keyword}"`);
	const rule = [
		...(schemaPointer === undefined ? [] : [`schema ${showPointer(schemaPointer)}`]),
		...(keyword === undefined ? [] : [`keyword ${keyword}`]),
	].join(", ");
	return `${showPointer(instancePointer)}: ${escapeForDisplay(text)}${rule === "" ? "" : dim(` (${escapeForDisplay(rule)})`)}`;
}
