/** The report to keep: as Markdown for people, as JSON for programs and for comparing with later. */
import { escapeForDisplay } from "millrace";
import { count, formatNumber } from "../../parts/format.ts";
import type { Difference } from "./compare.ts";
import type { Examination } from "./examine.ts";

/** What a package was held against, and what came of it. */
export interface Comparison {
	readonly name: string;
	readonly digest: string;
	readonly differences: readonly Difference[];
}

export function reportJson(name: string, examination: Examination, compared?: Comparison): string {
	const { digest, files, snapshot, refusals, noticed } = examination;
	const report = {
		name,
		digest,
		metadata: snapshot?.frontmatter,
		entrypoint: snapshot === undefined ? undefined : (snapshot.entrypoint?.path ?? null),
		contracts: snapshot === undefined ? undefined : contractsOf(snapshot),
		refusals: refusals.map(({ code, message, path, line, column, pointer }) => ({
			...{ code, message, path, line, column, pointer },
		})),
		notices: noticed.flatMap(({ notices }) => notices),
		compared,
		manifest: digest === undefined ? undefined : files,
	};
	return `${JSON.stringify(report, null, "\t")}\n`;
}

function contractsOf({ uses, channelContracts }: NonNullable<Examination["snapshot"]>): object[] {
	return [
		...[...uses].flatMap(([slot, use]) =>
			"local" in use ? [] : [{ kind: "capability", slot, path: use.path, ...use.contract.identity }],
		),
		...[...channelContracts].map(([path, { identity }]) => ({ kind: "channel", path, ...identity })),
	];
}

export function reportMarkdown(name: string, examination: Examination, compared?: Comparison): string {
	const { digest, files, snapshot, refusals, noticed } = examination;
	const lines = [`# ${inline(name)}`, "", digest === undefined ? "It has no digest." : `\`${digest}\``, ""];
	const section = (title: string, items: readonly string[]): void => {
		if (items.length > 0) lines.push(`## ${title}`, "", ...items, "");
	};
	if (snapshot !== undefined) {
		lines.push(`**${inline(snapshot.metadata.name)}**: ${inline(snapshot.metadata.description)}`, "");
		lines.push(`- entrypoint: ${snapshot.entrypoint === undefined ? "none" : code(snapshot.entrypoint.path)}`);
		for (const [slot, use] of snapshot.uses) {
			lines.push(`- uses ${code(slot)}: ${"local" in use ? "a local seam" : identity(use.contract.identity)}`);
		}
		for (const [path, contract] of snapshot.channelContracts)
			lines.push(`- channel contract ${code(path)}: ${identity(contract.identity)}`);
		lines.push("");
	}
	section(
		"Refused",
		refusals.map(({ code: name, message, ...place }) => {
			const at = placeOf(place);
			return `- \`${name}\`${at === undefined ? "" : ` at ${code(at)}`}: ${inline(message)}`;
		}),
	);
	section(
		"Worth a look",
		noticed.flatMap(({ notices, leftOut }) => [
			...notices.map((notice) => `- ${code(placeOf(notice) ?? "")}: ${inline(notice.message)}`),
			...(leftOut === 0 ? [] : [`- and ${formatNumber(leftOut)} more like these`]),
		]),
	);
	if (compared !== undefined) {
		const { differences } = compared;
		section(`Compared with ${inline(compared.name)}`, [
			`\`${compared.digest}\``,
			"",
			...(differences.length === 0 ? ["The same files, byte for byte."] : []),
			...differences.map((difference) => `- ${describeDifference(difference, code)}`),
		]);
	}
	if (digest !== undefined) {
		lines.push("## Files", "", "| path | bytes | SHA-256 |", "| --- | ---: | --- |");
		for (const { path, size, sha256 } of files) lines.push(`| ${code(path)} | ${size} | \`${sha256.slice(7)}\` |`);
	}
	return `${lines.join("\n").trimEnd()}\n`;
}

function identity({
	id,
	version,
	digest,
}: {
	readonly id: string;
	readonly version: string;
	readonly digest: string;
}): string {
	return `${code(id)} ${version}, \`${digest}\``;
}

/** A path, and where in the file. */
export function placeOf(place: {
	readonly path?: string | undefined;
	readonly line?: number | undefined;
	readonly column?: number | undefined;
}): string | undefined {
	const { path, line, column } = place;
	if (path === undefined || line === undefined) return path;
	return `${path}:${line}${column === undefined ? "" : `:${column}`}`;
}

/** A difference in words. */
export function describeDifference(difference: Difference, show: (path: string) => string = escapeForDisplay): string {
	const path = show(difference.path);
	switch (difference.kind) {
		case "added":
			return `${path} is only in this one (${count(difference.size, "byte")})`;
		case "removed":
			return `${path} is missing here (${count(difference.size, "byte")})`;
		case "renamed":
			return `${path} was ${show(difference.from)}`;
		case "changed": {
			const [expected, found] = difference.sizes;
			if (difference.lineEndsOnly)
				return `${path} has other line endings (${expected > found ? "LF instead of CRLF" : "CRLF instead of LF"}), and is the same otherwise`;
			return `${path} has other content (${count(expected, "byte")} became ${formatNumber(found)})`;
		}
	}
}

/** Text from a package, so that it can't be Markdown. */
function inline(text: string): string {
	return escapeForDisplay(text.replace(/\s+/g, " ")).replace(/[\\`*_{}[\]()#+!|<>~&]/g, "\\$&");
}

/** A name in backquotes, of which it may have some itself. */
function code(text: string): string {
	const fence = "`".repeat(Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length)) + 1);
	const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
	return `${fence}${pad}${escapeForDisplay(text).replaceAll("|", "\\|")}${pad}${fence}`;
}
