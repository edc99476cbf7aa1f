/** Author references: how `FLOW.md` and descriptors name another file of the package (Package/1 section 2). */
import { describeFault } from "./describe.ts";
import { PathError, type PathFault } from "./errors.ts";
import { findPathFault } from "./fault.ts";

const PREFIX = "./";
const ENCODED = /%[0-9A-Fa-f]{2}/;

/**
 * Takes `./contracts/index.json` and returns the logical path `contracts/index.json`. After exact `./` a reference is a
 * canonical path under all of {@link checkPath}'s rules; `%` and two hexadecimal digits are refused as an encoded form, a
 * bare `%` is itself. Control characters are allowed, as in the paths it may have to name. Whether the file exists is the
 * package's to say. Throws {@link PathError}, `path` being the reference as written and `offset` counting from its start.
 */
export function checkReference(reference: string): string {
	const fault = findReferenceFault(reference);
	if (fault) throw new PathError(fault, reference, describeFault(fault, "reference", reference));
	return reference.slice(PREFIX.length);
}

function findReferenceFault(reference: string): PathFault | undefined {
	if (!reference.startsWith(PREFIX)) return { code: "PATH_REFERENCE_PREFIX", offset: 0 };
	const fault = findPathFault(reference.slice(PREFIX.length));
	if (fault) return fromReference(fault);
	const offset = reference.search(ENCODED);
	return offset < 0 ? undefined : { code: "PATH_REFERENCE_ENCODED", offset };
}

/** A fault of the path inside a reference, told in terms of the reference. */
function fromReference(fault: PathFault): PathFault {
	const moved = fault.offset === undefined ? fault : { ...fault, offset: fault.offset + PREFIX.length };
	return moved.nfc === undefined ? moved : { ...moved, nfc: PREFIX + moved.nfc };
}
