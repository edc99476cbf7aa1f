import { type Digest, isDigest } from "../digest.ts";

/**
 * The exact public identity of a Capability Contract/1 or a Channel Contract/1 (Capability Contract/1 section 3).
 * All three parts together are the identity; none of them is an address, and nothing here ever fetches one.
 */
export interface ContractIdentity {
	readonly id: string;
	readonly version: string;
	readonly digest: Digest;
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const SEGMENT = /^[a-z0-9._~-]+$/;
const VERSION = /^(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)\.(?:0|[1-9][0-9]*)$/;
const DIGITS = /^[0-9]+$/;
const SCHEME = "https://";

/**
 * Whether `text` is a canonical contract id: `https://<dns-name>/<segment>[/<segment>...]`, lower ASCII only
 * (Capability Contract/1 section 1.1). User information, ports, IP literals, empty, `.` and `..` segments, percent
 * encoding, queries and fragments are all outside the grammar. The text sets no total length, so neither does this.
 *
 * Four all-digit labels of value 255 or less, leading zeros included, are an IP literal; other numeric names are DNS names.
 */
export function isContractId(text: unknown): text is string {
	if (typeof text !== "string" || !text.startsWith(SCHEME)) return false;
	const [host, ...segments] = text.slice(SCHEME.length).split("/");
	if (host === undefined || segments.length === 0) return false;
	const labels = host.split(".");
	if (labels.length < 2 || !labels.every((label) => LABEL.test(label)) || isIpLiteral(labels)) return false;
	return segments.every((segment) => SEGMENT.test(segment) && segment !== "." && segment !== "..");
}

/** Dotted quads in any decimal spelling: a label of 63 digits is finite as a number, so the comparison is exact enough. */
function isIpLiteral(labels: readonly string[]): boolean {
	return labels.length === 4 && labels.every((label) => DIGITS.test(label) && Number(label) <= 255);
}

/**
 * Whether `text` is a contract version: three decimal components without leading zeros, no prefix, no suffix
 * (Capability Contract/1 section 1.1). Versions compare as exact strings; there are no ranges and no precedence.
 */
export function isContractVersion(text: unknown): text is string {
	return typeof text === "string" && VERSION.test(text);
}

/** Whether `value` has exactly the members `id`, `version` and `digest`, each in its one spelling. */
export function isContractIdentity(value: unknown): value is ContractIdentity {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
	if (Object.keys(value).length !== 3) return false;
	const own = (name: string): unknown =>
		Object.hasOwn(value, name) ? (value as Record<string, unknown>)[name] : undefined;
	return isContractId(own("id")) && isContractVersion(own("version")) && isDigest(own("digest"));
}

/** Exact compatibility: the same id, version and digest, each compared as a string (Capability Contract/1 section 3). */
export function sameIdentity(a: ContractIdentity, b: ContractIdentity): boolean {
	return a.id === b.id && a.version === b.version && a.digest === b.digest;
}
