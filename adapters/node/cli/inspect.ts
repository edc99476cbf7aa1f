import { escapeForDisplay } from "../../../src/display.ts";
import type { PackageSnapshot } from "../../../src/package/index.ts";
import type { Digest } from "../../../src/sha256.ts";
import { inspectPackage } from "../packages.ts";
import { count, type Output, paint } from "./output.ts";
import { formatBytes, progressLine } from "./progress.ts";

/** `millrace inspect DIR`: everything Package/1 says of a package, without running any of it. */
export async function inspectCommand(
	root: string,
	options: { expect?: Digest },
	signal: AbortSignal,
	output: Output,
): Promise<void> {
	const progress = progressLine(!output.json);
	try {
		const snapshot = await inspectPackage(root, {
			signal,
			onProgress: progress.update,
			...(options.expect === undefined ? {} : { expect: options.expect }),
		});
		progress.done();
		await output.answer(describe(snapshot).join("\n"), { status: "succeeded", ...packageData(snapshot) });
	} finally {
		progress.done();
	}
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
	for (const advisory of snapshot.advisories)
		lines.push(paint.yellow(`advisory    ${escapeForDisplay(advisory.path)}: ${escapeForDisplay(advisory.message)}`));
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

/** A snapshot as plain data for `--json`, the conformance driver and anything else that prints it. */
export function packageData(snapshot: PackageSnapshot): Record<string, unknown> {
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
