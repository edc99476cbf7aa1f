/**
 * The values, schemas, packages and contracts of FLOW, the same in every JavaScript runtime.
 *
 * Component authors want `millrace/sdk`, hosts `millrace/host` with an adapter such as `millrace/node`.
 *
 * @module millrace
 */

export {
	type CapabilityContract,
	type CapabilityMethod,
	type ChannelContract,
	type ChannelDeclaration,
	type ContractClaim,
	ContractError,
	type ContractErrorCode,
	type ContractIdentity,
	type ContractOptions,
	type Equivocation,
	findEquivocation,
	isContractId,
	isContractVersion,
	parseCapabilityContract,
	parseChannelContract,
	sameIdentity,
	satisfiesContract,
} from "./contract/index.ts";
export { escapeForDisplay } from "./display.ts";
export {
	checkPath,
	checkReference,
	comparePaths,
	isLocalName,
	PATH_LIMITS,
	PathError,
	type PathErrorCode,
	type PathFault,
	pathCollisionKey,
} from "./grammar/index.ts";
export {
	admitJson,
	appendPointer,
	canonicalize,
	canonicalText,
	equalJson,
	formatNumber,
	formatPointer,
	JSON_LIMITS,
	JsonError,
	type JsonErrorCode,
	type JsonLimitName,
	type JsonObject,
	type JsonPlace,
	type JsonValue,
	parseJson,
	parsePointer,
	resolvePointer,
} from "./json/index.ts";
export {
	type Advisory,
	type AdvisoryCode,
	type AttachmentAccess,
	type CapabilityUse,
	type DigestOptions,
	digestPackage,
	type Entrypoint,
	type FlowMd,
	type InspectOptions,
	inspectPackage,
	type ManifestFile,
	type Metadata,
	type MetadataReference,
	memorySource,
	PACKAGE_LIMITS,
	type PackageDigest,
	type PackageEntry,
	PackageError,
	type PackageErrorCode,
	type PackageErrorPlace,
	type PackageProgress,
	type PackageSchemas,
	type PackageSnapshot,
	type PackageSource,
	parseFlowMd,
	type ResolvedChannel,
	type ResolvedUse,
} from "./package/index.ts";
export {
	type BoundaryCode,
	type Checked,
	compileSchema,
	compileSchemaGraph,
	compileSchemaValue,
	type Diagnostic,
	type EmbeddedGraph,
	type EvaluateOptions,
	type Keyword,
	type Profile,
	SCHEMA_LIMITS,
	SCHEMA_URI,
	type Schema,
	SchemaError,
	type SchemaErrorCode,
	type SchemaFault,
	type StandardIssue,
	type StandardProps,
	type StandardResult,
	type Verdict,
} from "./schema/index.ts";
export { type Digest, isDigest, portableSha256, type Sha256, type Sha256Factory } from "./sha256.ts";
export { isNfc, toCasefold, toNfc } from "./unicode/index.ts";
export type { ReadableStreamLike, StreamReaderLike } from "./web.ts";
