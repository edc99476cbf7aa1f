import { toBase64 } from "../src/base64.ts";
import { parseCapabilityContract, parseChannelContract } from "../src/contract/index.ts";
import { checkReference, comparePaths, decodePath, pathCollisionKey } from "../src/grammar/index.ts";
import {
	admitJson,
	canonicalize,
	equalJson,
	formatNumber,
	isJsonObject,
	type JsonObject,
	type JsonValue,
	parseJson,
} from "../src/json/index.ts";
import {
	type DigestOptions,
	digestPackage,
	inspectPackage,
	memorySource,
	type PackageDigest,
	type PackageSnapshot,
	type PackageSource,
	parseFlowMd,
	readSelector,
} from "../src/package/index.ts";
import {
	compileSchema,
	compileSchemaGraph,
	compileSchemaValue,
	type Schema,
	SchemaError,
} from "../src/schema/index.ts";
import { portableSha256, type Sha256Factory, toHex } from "../src/sha256.ts";
import { isNfc, toCasefold, toNfc } from "../src/unicode/index.ts";
import { decodeUtf8 } from "../src/web.ts";
import { BadRequest, bytesOf, dataBytes, type Fields, field, isFields, textField } from "./data.ts";

/** What the driver needs from its environment: a hash, and directories where there are any. */
export interface DriverPorts {
	readonly sha256?: Sha256Factory;
	/** How directories are read; absent where there is no file system. */
	readonly trees?: TreePort;
}

/** Package/1 over a directory's path, as an adapter with a file system does it. */
export interface TreePort {
	digestPackage(root: string, options: DigestOptions): Promise<PackageDigest>;
	inspectPackage(root: string): Promise<PackageSnapshot>;
}

/** One answer of the driver protocol: see DRIVER.md. */
export type Answer = { readonly id?: unknown } & (
	| { readonly ok: true; readonly [name: string]: unknown }
	| { readonly ok: false; readonly error: AnswerError }
	| { readonly ok: false; readonly badRequest: string }
);

export interface AnswerError {
	readonly code: string;
	readonly detail: string;
	readonly path?: string;
	readonly offset?: number;
	readonly pointer?: string;
}

type Operation = (request: Fields, ports: Required<Pick<DriverPorts, "sha256">> & DriverPorts) => unknown;

/** Values up to this size travel inside an answer; larger ones are told by their hash and count. */
const INLINE_BYTES = 65_536;

const OPERATIONS: { readonly [op: string]: Operation } = {
	"json.parse": (request, { sha256 }) => canonicalAnswer(parseJson(dataBytes(request)), sha256, false),
	"json.canonical": (request, { sha256 }) => canonicalAnswer(valueOrData(request, "value"), sha256, true),
	"json.equal": (request) => ({ equal: equalJson(parseJson(part(request, "a")), parseJson(part(request, "b"))) }),
	"json.es6number": (request) => ({ text: formatNumber(doubleOf(textField(request, "hexDouble"))) }),
	"schema.compile": (request) => {
		const { nodes, depth } = schemaOf(request, "schema");
		return { nodes, depth };
	},
	"schema.evaluate": (request) => {
		const schema = hasMember(request, "schema")
			? compileSchemaValue(admit(request, "schema"))
			: compileSchema(part(request, "schemaData"));
		const instance = hasMember(request, "instance")
			? admit(request, "instance")
			: parseJson(part(request, "instanceData"));
		return verdictAnswer(schema, instance, field(request, "profile") === true);
	},
	"schema.evaluateEmbedded": (request) => {
		const defs = hasMember(request, "defs") ? admit(request, "defs") : undefined;
		if (defs !== undefined && !isJsonObject(defs)) throw new BadRequest('"defs" must be an object');
		const graph = compileSchemaGraph({
			roots: [{ pointer: "/schema", schema: admit(request, "schema") }],
			...(defs === undefined ? {} : { defs: defs as JsonObject, defsPointer: "/$defs" }),
		});
		return verdictAnswer(graph.schemas[0]!, admit(request, "instance"), field(request, "profile") === true);
	},
	"package.path": (request) => {
		const path = decodePath(hasMember(request, "path") ? bytesOf(field(request, "path"), "text") : dataBytes(request));
		return { path, casefold: pathCollisionKey(path) };
	},
	"package.reference": (request) => ({ path: checkReference(textField(request, "reference")) }),
	"package.metadata": (request) => {
		const { frontmatter, bodyOffset, references } = parseFlowMd(dataBytes(request));
		const paths = [...new Set(references.map((reference) => reference.path))].sort(comparePaths);
		return { metadata: frontmatter, bodyOffset, references: paths };
	},
	"package.entrypoint": (request) => ({ selector: readSelector(dataBytes(request)) ?? null }),
	"package.digest": (request, { sha256 }) =>
		digestPackage(filesOf(request), { sha256, requireFlowMd: field(request, "requireFlowMd") !== false }),
	"package.inspect": async (request, { sha256 }) =>
		inspectionAnswer(await inspectPackage(filesOf(request), { sha256 })),
	"package.digestTree": (request, ports) =>
		treesOf(ports).digestPackage(textField(request, "root"), {
			requireFlowMd: field(request, "requireFlowMd") !== false,
		}),
	"package.inspectTree": async (request, ports) =>
		inspectionAnswer(await treesOf(ports).inspectPackage(textField(request, "root"))),
	"contract.capability": (request) => parseCapabilityContract(descriptorBytes(request)).identity,
	"contract.channel": (request) => parseChannelContract(descriptorBytes(request)).identity,
	unicode: (request) => {
		const text = textField(request, "text");
		return { nfc: toNfc(text), isNfc: isNfc(text), casefold: toCasefold(text) };
	},
};

/**
 * Makes the function that answers driver requests one by one. It never throws: a refused input is `{ok: false, error}`,
 * a malformed request `{ok: false, badRequest}`.
 */
export function createDriver(ports: DriverPorts = {}): (request: unknown) => Promise<Answer> {
	const withHash = { sha256: portableSha256, ...ports };
	return async (request) => {
		if (!isFields(request)) return { ok: false, badRequest: "a request is a JSON object" };
		const id = hasMember(request, "id") ? { id: field(request, "id") } : {};
		const op = field(request, "op");
		if (typeof op !== "string" || !Object.hasOwn(OPERATIONS, op))
			return { ...id, ok: false, badRequest: `unknown op; this driver answers ${Object.keys(OPERATIONS).join(", ")}` };
		try {
			return { ...id, ok: true, ...((await OPERATIONS[op]!(request, withHash)) as object) };
		} catch (error) {
			if (error instanceof BadRequest) return { ...id, ok: false, badRequest: error.message };
			return { ...id, ok: false, error: describe(error) };
		}
	};
}

/** Answers one line of the driver protocol. */
export async function answerLine(driver: (request: unknown) => Promise<Answer>, line: string): Promise<string> {
	let request: unknown;
	try {
		request = JSON.parse(line);
	} catch (error) {
		return JSON.stringify({ ok: false, badRequest: `not a line of JSON: ${(error as Error).message}` });
	}
	return JSON.stringify(await driver(request));
}

function hasMember(request: Fields, name: string): boolean {
	return Object.hasOwn(request, name);
}

function admit(request: Fields, name: string): JsonValue {
	if (!hasMember(request, name)) throw new BadRequest(`"${name}" is missing`);
	return admitJson(field(request, name));
}

function part(request: Fields, name: string): Uint8Array {
	const value = field(request, name);
	if (!isFields(value)) throw new BadRequest(`"${name}" must be data: {"text"}, {"b64"} or {"hex"}`);
	return dataBytes(value);
}

function valueOrData(request: Fields, name: string): JsonValue {
	return hasMember(request, name) ? admit(request, name) : parseJson(dataBytes(request));
}

function schemaOf(request: Fields, name: string): Schema {
	return hasMember(request, name) ? compileSchemaValue(admit(request, name)) : compileSchema(dataBytes(request));
}

function descriptorBytes(request: Fields): Uint8Array {
	return hasMember(request, "descriptor") ? canonicalize(admit(request, "descriptor")) : dataBytes(request);
}

function canonicalAnswer(value: JsonValue, sha256: Sha256Factory, withBytes: boolean): Fields {
	const bytes = canonicalize(value);
	const hash = sha256();
	hash.update(bytes);
	const inline = bytes.length <= INLINE_BYTES;
	return {
		sha256: toHex(hash.digest()),
		bytes: bytes.length,
		...(inline ? { canonical: decodeUtf8(bytes) } : {}),
		...(inline && withBytes ? { b64: toBase64(bytes) } : {}),
	};
}

function doubleOf(hex: string): number {
	if (!/^[0-9a-fA-F]{16}$/.test(hex)) throw new BadRequest('"hexDouble" must be 16 hexadecimal digits');
	return new DataView(dataBytes({ hex }).buffer as ArrayBuffer).getFloat64(0);
}

function verdictAnswer(schema: Schema, instance: JsonValue, profile: boolean): Fields {
	try {
		const verdict = schema.evaluate(instance, { all: true, profile });
		const diagnostics = verdict.diagnostics.map(({ code, instancePointer, schemaPointer, keyword }) => ({
			code,
			instancePointer,
			schemaPointer,
			...(keyword === undefined ? {} : { keyword }),
		}));
		return {
			verdict: verdict.valid ? "valid" : "invalid",
			work: verdict.work,
			diagnostics,
			...(profile ? { profile: verdict.profile } : {}),
		};
	} catch (error) {
		if (error instanceof SchemaError && error.code === "SCHEMA_LIMIT_EXCEEDED")
			return { verdict: "limit", work: null, diagnostics: [] };
		throw error;
	}
}

function filesOf(request: Fields): PackageSource {
	const files = field(request, "files");
	if (!isFields(files) && !Array.isArray(files)) throw new BadRequest('"files" must be an object or a list of pairs');
	const pairs = Array.isArray(files) ? files : Object.entries(files);
	return memorySource(
		pairs.map((pair: unknown): [string, Uint8Array] => {
			if (!Array.isArray(pair) || pair.length !== 2) throw new BadRequest("a file is a pair of path and content");
			return [decodePath(bytesOf(pair[0], "text")), bytesOf(pair[1], "b64")];
		}),
	);
}

function treesOf(ports: DriverPorts): TreePort {
	if (ports.trees === undefined) throw new BadRequest("this driver has no file system");
	return ports.trees;
}

function inspectionAnswer(snapshot: PackageSnapshot): Fields {
	return {
		digest: snapshot.digest,
		metadata: snapshot.frontmatter,
		entrypoint: snapshot.entrypoint?.path ?? null,
		selector: snapshot.entrypoint?.selector ?? null,
		schemas: Object.keys(snapshot.schemas),
		uses: Object.fromEntries(
			[...snapshot.uses].map(([slot, use]) => [slot, "contract" in use ? use.contract.identity : { local: true }]),
		),
		channelContracts: Object.fromEntries(
			[...snapshot.channelContracts].map(([path, { identity }]) => [path, identity]),
		),
	};
}

/** The places a typed error of any room names, in the driver protocol's words. */
function describe(error: unknown): AnswerError {
	const record = error as { code?: unknown; message?: unknown } & Fields;
	const pointer = field(record, "pointer") ?? field(record, "schemaPointer");
	const path = field(record, "path");
	const offset = field(record, "offset");
	return {
		code: typeof record.code === "string" ? record.code : "INTERNAL",
		detail: String(record.message),
		...(typeof path === "string" ? { path } : {}),
		...(typeof offset === "number" ? { offset } : {}),
		...(typeof pointer === "string" ? { pointer } : {}),
	};
}
