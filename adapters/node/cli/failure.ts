import { escapeForDisplay } from "../../../src/display.ts";
import { paint } from "./output.ts";
import { UsageError } from "./usage.ts";

/** What every failure of a command carries for machines: a code, a sentence, and the place where there is one. */
export interface FailureReport {
	readonly status: "failed";
	readonly code: string;
	readonly message: string;
	readonly [place: string]: unknown;
}

/** The members that this library's typed errors locate themselves with, copied as they are. */
const PLACES = [
	...["phase", "path", "offset", "line", "column", "pointer", "schemaPointer", "keyword", "schemaCode", "limit"],
	...["details", "diagnostics", "expected", "actual", "stderr", "digest", "durationMs"],
] as const;

/** Describes any thrown value; what isn't one of our typed errors or a system error is reported as `INTERNAL`. */
export function describeFailure(error: unknown): FailureReport {
	if (error instanceof UsageError) return { status: "failed", code: "USAGE", message: error.message };
	if (!(error instanceof Error)) return { status: "failed", code: "INTERNAL", message: String(error) };
	const record = error as Error & Record<string, unknown>;
	const code = typeof record.code === "string" ? record.code : "INTERNAL";
	const report: Record<string, unknown> = { status: "failed", code, message: error.message };
	for (const place of PLACES) if (record[place] !== undefined) report[place] = record[place];
	if (error.cause instanceof Error) report.cause = causeOf(error.cause);
	return report as FailureReport;
}

function causeOf(error: Error): Record<string, unknown> {
	const { status: _, ...rest } = describeFailure(error);
	return rest;
}

/** Prints a failure for people: the sentence, the place below it, the cause if it says more. */
export function printFailure(report: FailureReport): void {
	const lines = [`${paint.red("failed")}    ${paint.bold(report.code)}: ${escapeForDisplay(report.message)}`];
	if (report.phase !== undefined) lines.push(`phase     ${escapeForDisplay(String(report.phase))}`);
	const place = placeOf(report);
	if (place !== "") lines.push(`at        ${place}`);
	for (const diagnostic of diagnosticsOf(report)) lines.push(`          ${diagnostic}`);
	const cause = report.cause as FailureReport | undefined;
	if (cause !== undefined && !report.message.includes(cause.message)) {
		const at = placeOf(cause);
		lines.push(`because   ${cause.code}: ${escapeForDisplay(cause.message)}${at === "" ? "" : ` (${at})`}`);
	}
	process.stderr.write(`${lines.join("\n")}\n`);
}

function placeOf(report: Record<string, unknown>): string {
	const parts: string[] = [];
	if (report.path !== undefined) parts.push(escapeForDisplay(String(report.path)));
	if (report.line !== undefined) parts.push(`line ${report.line}, column ${report.column}`);
	if (report.offset !== undefined) parts.push(`byte ${report.offset}`);
	for (const name of ["pointer", "schemaPointer"] as const)
		if (report[name] !== undefined)
			parts.push(`${name === "pointer" ? "value" : "schema"} ${showPointer(report[name])}`);
	if (report.keyword !== undefined) parts.push(`keyword ${escapeForDisplay(String(report.keyword))}`);
	return parts.join(", ");
}

/** A JSON Pointer for people: the root is named, since its pointer is the empty string. */
export function showPointer(pointer: unknown): string {
	return pointer === "" ? "(root)" : escapeForDisplay(String(pointer));
}

interface DiagnosticData {
	readonly instancePointer: string;
	readonly schemaPointer: string;
	readonly keyword?: string;
	readonly message?: string;
}

function diagnosticsOf(report: FailureReport): string[] {
	const holder = (report.diagnostics ??
		(report.details as Record<string, unknown> | undefined)?.diagnostics) as unknown;
	return Array.isArray(holder) ? holder.slice(0, 20).map((each) => showDiagnostic(each as DiagnosticData)) : [];
}

/** One diagnostic of a rejected value: where in the value, what, and which schema says so. */
export function showDiagnostic(diagnostic: DiagnosticData): string {
	const rule = `${showPointer(diagnostic.schemaPointer)}${diagnostic.keyword === undefined ? "" : ` ${diagnostic.keyword}`}`;
	const text = diagnostic.message === undefined ? "rejected" : escapeForDisplay(diagnostic.message);
	return `${showPointer(diagnostic.instancePointer)}: ${text} ${paint.dim(`(schema ${escapeForDisplay(rule)})`)}`;
}
