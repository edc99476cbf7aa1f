import { resolve } from "node:path";
import type { Digest } from "../../../src/digest.ts";
import { isLocalName } from "../../../src/grammar/index.ts";
import type { ChannelOption } from "./channels.ts";
import { parseAssignment, parseDigest, UsageError } from "./usage.ts";

/** `--attach name=path:access`. */
export interface AttachmentOption {
	readonly name: string;
	readonly path: string;
	readonly access: "read" | "read-write";
}

/** `--child slot=DIR[@sha256:…]`. */
export interface ChildOption {
	readonly name: string;
	readonly dir: string;
	readonly expect: Digest | undefined;
}

/** Reads every `--attach`. Throws `UsageError`. */
export function parseAttachments(texts: readonly string[]): readonly AttachmentOption[] {
	return checkNames("--attach", texts.map(parseAttachment));
}

function parseAttachment(text: string): AttachmentOption {
	const [name, rest] = parseAssignment(text, "name=path:read or name=path:read-write");
	const match = /^(.+):(read|read-write)$/s.exec(rest);
	if (match === null) throw new UsageError(`--attach: "${text}" should end in :read or :read-write`);
	return { name, path: resolve(match[1]!), access: match[2] as AttachmentOption["access"] };
}

/** Reads every `--child`. Throws `UsageError`. */
export function parseChildren(texts: readonly string[]): readonly ChildOption[] {
	return checkNames("--child", texts.map(parseChild));
}

function parseChild(text: string): ChildOption {
	const [name, rest] = parseAssignment(text, "slot=DIR or slot=DIR@sha256:…");
	const at = rest.lastIndexOf("@sha256:");
	if (at < 0) return { name, dir: rest, expect: undefined };
	if (at === 0) throw new UsageError(`--child: "${text}" names no directory`);
	return { name, dir: rest.slice(0, at), expect: parseDigest(rest.slice(at + 1)) };
}

/** Reads every `--channel`. Throws `UsageError`. */
export function parseChannels(texts: readonly string[]): readonly ChannelOption[] {
	return checkNames(
		"--channel",
		texts.map((text) => {
			const [name, file] = parseAssignment(text, "name=FILE or name=-");
			return { name, file };
		}),
	);
}

/** Refuses what is no name, and a name given twice, which would silently lose what was said first. */
function checkNames<T extends { readonly name: string }>(option: string, entries: readonly T[]): readonly T[] {
	const seen = new Set<string>();
	for (const { name } of entries) {
		if (!isLocalName(name))
			throw new UsageError(`${option}: "${name}" is no name; use 1 to 64 of a-z and 0-9, with single hyphens between`);
		if (seen.has(name)) throw new UsageError(`${option} gives "${name}" twice`);
		seen.add(name);
	}
	return entries;
}
