/** The report to keep: as Markdown for people, as JSON for programs and for comparing with later. */
import { canonicalText, type JsonValue } from "millrace";
import type { Difference } from "./compare.ts";
import type { Examination } from "./examine.ts";

export function reportJson(name: string, examination: Examination): string {
	const { digest, files, snapshot, refusals, notices } = examination;
	const report = {
		name,
		...(digest === undefined ? {} : { digest }),
		...(snapshot === undefined
			? {}
			: { metadata: snapshot.frontmatter, entrypoint: snapshot.entrypoint?.path ?? null }),
		refusals: refusals.map(({ code, message, path }) => ({ code, message, ...(path === undefined ? {} : { path }) })),
		notices,
		manifest: files,
	};
	return `${JSON.stringify(JSON.parse(canonicalText(JSON.parse(JSON.stringify(report)) as JsonValue)), null, "\t")}\n`;
}

export function reportMarkdown(name: string, examination: Examination, differences?: readonly Difference[]): string {
	const { digest, files, snapshot, refusals, notices } = examination;
	const lines = [`# ${inline(name)}`, "", digest === undefined ? "It has no digest." : `\`${digest}\``, ""];
	if (snapshot !== undefined) {
		lines.push(`**${inline(snapshot.metadata.name)}**: ${inline(snapshot.metadata.description)}`, "");
		lines.push(`- entrypoint: ${snapshot.entrypoint === undefined ? "none" : code(snapshot.entrypoint.path)}`);
		for (const [slot, use] of snapshot.uses) {
			lines.push(
				`- uses ${code(slot)}: ${"local" in use ? "a local seam" : `${code(use.contract.identity.id)} ${use.contract.identity.version}, \`${use.contract.identity.digest}\``}`,
			);
		}
		lines.push("");
	}
	if (refusals.length > 0) {
		lines.push("## Refused", "");
		for (const { code: name, message, path } of refusals) {
			lines.push(`- \`${name}\`${path === undefined ? "" : ` at ${code(path)}`}: ${inline(message)}`);
		}
		lines.push("");
	}
	if (notices.length > 0) {
		lines.push("## Worth a look", "");
		for (const { path, line, column, message } of notices) {
			lines.push(`- ${code(path)}${line === undefined ? "" : `, line ${line}, column ${column}`}: ${inline(message)}`);
		}
		lines.push("");
	}
	if (differences !== undefined) {
		lines.push("## Compared", "");
		if (differences.length === 0) lines.push("The two are equal.");
		for (const difference of differences) lines.push(`- ${describeDifference(difference, code)}`);
		lines.push("");
	}
	lines.push("## Files", "", "| path | bytes | SHA-256 |", "| --- | ---: | --- |");
	for (const { path, size, sha256 } of files) lines.push(`| ${code(path)} | ${size} | \`${sha256.slice(7)}\` |`);
	return `${lines.join("\n")}\n`;
}

/** A difference in words. */
export function describeDifference(difference: Difference, show: (path: string) => string = (path) => path): string {
	switch (difference.kind) {
		case "added":
			return `${show(difference.path)} is only in this one`;
		case "removed":
			return `${show(difference.path)} is missing here`;
		case "renamed":
			return `${show(difference.path)} was ${show(difference.from)}`;
		case "changed":
			return difference.lineEndsOnly
				? `${show(difference.path)} has other line endings (CRLF against LF), and is the same otherwise`
				: `${show(difference.path)} has another content`;
	}
}

/** Text from a package, so that it can't be Markdown. */
function inline(text: string): string {
	return text.replace(/[\\`*_{}[\]()#+!|<>~]/g, "\\$&").replace(/\s+/g, " ");
}

/** A name in backquotes, of which it may have some itself. */
function code(text: string): string {
	const fence = "`".repeat(Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)) + 1);
	const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
	return `${fence}${pad}${text.replace(/[\r\n|]/g, "�")}${pad}${fence}`;
}
