import type { Digest } from "../../../src/digest.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import type { PackageSnapshot } from "../../../src/package/index.ts";
import { inspectPackage } from "../packages.ts";
import { explainMismatch } from "./mismatch.ts";
import { count, type Output, paintAnswer } from "./output.ts";
import { checkPrefixFor, withPackage } from "./package-at.ts";
import { formatBytes, withProgress } from "./progress.ts";

/** `millrace inspect DIR|ARCHIVE`: everything Package/1 says of a package, without running any of it. */
export async function inspectCommand(
	root: string,
	options: { readonly expect?: Digest; readonly prefix?: string },
	signal: AbortSignal,
	output: Output,
): Promise<void> {
	const { expect, prefix } = options;
	checkPrefixFor([root], prefix);
	const snapshot = await withPackage(root, { prefix, signal }, (source) =>
		explainMismatch(source, expect, () =>
			withProgress(output, (onProgress) =>
				inspectPackage(source, { signal, onProgress, ...(expect === undefined ? {} : { expect }) }),
			),
		),
	);
	await output.answer(describe(snapshot).join("\n"), { status: "succeeded", ...packageData(snapshot) });
}

function describe(snapshot: PackageSnapshot): string[] {
	const { metadata, entrypoint } = snapshot;
	const lines = [
		`name        ${metadata.name}`,
		`digest      ${snapshot.digest}`,
		`files       ${count(snapshot.files.length, "file")}, ${formatBytes(snapshot.files.reduce((sum, file) => sum + file.size, 0))}`,
		`about       ${escapeForDisplay(metadata.description)}`,
		`entrypoint  ${entrypoint === undefined ? "none: instructions only" : showEntrypoint(entrypoint)}`,
		`schemas     ${Object.keys(snapshot.schemas).join(", ") || "none"}`,
	];
	for (const [name, text] of snapshot.outcomes) lines.push(`outcome     ${name}: ${escapeForDisplay(text)}`);
	for (const [name, access] of snapshot.attachments) lines.push(`attachment  ${name}: ${access}`);
	for (const [slot, use] of snapshot.uses) lines.push(`uses        ${slot}: ${showUse(use)}`);
	for (const [name, channel] of snapshot.channels)
		lines.push(`channel     ${name}: ${channel.direction}${channel.required ? "" : ", optional"}`);
	for (const [path, contract] of snapshot.channelContracts)
		lines.push(`contract    ${escapeForDisplay(path)}: ${showIdentity(contract.identity)}`);
	for (const { path, otherPath, message } of snapshot.advisories) {
		const paths = otherPath === undefined ? path : `${path}, ${otherPath}`;
		lines.push(paintAnswer.yellow(`advisory    ${escapeForDisplay(paths)}: ${escapeForDisplay(message)}`));
	}
	return lines;
}

function showEntrypoint(entrypoint: { path: string; selector?: string }): string {
	return entrypoint.selector === undefined ? entrypoint.path : `${entrypoint.path} (selector ${entrypoint.selector})`;
}

type Use = PackageSnapshot["uses"] extends ReadonlyMap<string, infer T> ? T : never;

function showUse(use: Use): string {
	return "contract" in use ? `${showIdentity(use.contract.identity)} (${escapeForDisplay(use.path)})` : "local";
}

function showIdentity(identity: { id: string; version: string; digest: string }): string {
	return `${escapeForDisplay(identity.id)} ${identity.version} ${identity.digest}`;
}

/** A snapshot as plain data for `--json`. */
function packageData(snapshot: PackageSnapshot): Record<string, unknown> {
	return {
		digest: snapshot.digest,
		metadata: snapshot.frontmatter,
		entrypoint: snapshot.entrypoint ?? null,
		schemas: Object.keys(snapshot.schemas),
		uses: Object.fromEntries(
			[...snapshot.uses].map(([slot, use]) => [
				slot,
				"contract" in use ? { path: use.path, ...use.contract.identity } : { local: true },
			]),
		),
		channelContracts: Object.fromEntries(
			[...snapshot.channelContracts].map(([path, { identity }]) => [path, identity]),
		),
		files: snapshot.files,
		advisories: snapshot.advisories,
	};
}
