/** Every bound of Package/1 (sections 2, 3 and 5), inclusive. */
export const PACKAGE_LIMITS = {
	/** regular files in one tree */
	files: 65_536,
	/** bytes in one file */
	fileBytes: 1_073_741_824,
	/** sum of the bytes of all files */
	totalBytes: 4_294_967_296,
	/** bytes of FLOW.md through its closing delimiter line, line ending included */
	frontmatterBytes: 262_144,
	/** metadata depth; the root mapping is 1, scalars count */
	metadataDepth: 16,
	/** metadata value nodes, root included; mapping keys are no nodes */
	metadataNodes: 4_096,
	/** entries of one metadata map */
	mapEntries: 256,
	/** items of one metadata sequence */
	sequenceItems: 256,
	/** Unicode scalars in `description` */
	descriptionScalars: 16_384,
} as const;

/**
 * What one inspection keeps in memory unless told otherwise: the bytes of FLOW.md, the conventional schemas and the
 * contract descriptors together. A host bound of ours (`PACKAGE_CAPACITY`), not a validity limit of Package/1.
 */
export const INSPECTION_BYTES = 67_108_864;
