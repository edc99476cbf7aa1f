/** Package/1: trees, FLOW.md, digests and inspection. `digest.ts` alone needs no YAML. */

export type { Advisory, AdvisoryCode } from "./advisories.ts";
export {
	type DigestOptions,
	digestPackage,
	type ManifestFile,
	type PackageDigest,
	type PackageProgress,
} from "./digest.ts";
export { type Entrypoint, findEntrypoint, readSelector, SELECTOR_BYTES } from "./entrypoint.ts";
export { PackageError, type PackageErrorCode, type PackageErrorPlace } from "./error.ts";
export { FLOW_MD } from "./frontmatter.ts";
export {
	type InspectOptions,
	inspectPackage,
	type PackageSchemas,
	type PackageSnapshot,
	type ResolvedChannel,
	type ResolvedUse,
} from "./inspect.ts";
export { INSPECTION_BYTES, PACKAGE_LIMITS } from "./limits.ts";
export {
	type AttachmentAccess,
	type CapabilityUse,
	type FlowMd,
	type Metadata,
	type MetadataReference,
	parseFlowMd,
} from "./metadata.ts";
export { memorySource, type PackageEntry, type PackageSource } from "./source.ts";
