import type { Digest } from "../../../src/digest.ts";
import { escapeForDisplay } from "../../../src/display.ts";
import { digestPackage } from "../packages.ts";
import { explainMismatch } from "./mismatch.ts";
import { count, type Output } from "./output.ts";
import { checkPrefixFor, withPackage } from "./package-at.ts";
import { formatBytes, withProgress } from "./progress.ts";

/** `millrace digest DIR|ARCHIVE`: the Package/1 digest, and with `--manifest` the size and SHA-256 of each file. */
export async function digestCommand(
	root: string,
	options: { readonly manifest?: boolean; readonly expect?: Digest; readonly prefix?: string },
	signal: AbortSignal,
	output: Output,
): Promise<void> {
	const { expect, manifest = false, prefix } = options;
	checkPrefixFor([root], prefix);
	const { digest, files } = await withPackage(root, { prefix, signal }, (source) =>
		explainMismatch(source, expect, () =>
			withProgress(output, (onProgress) =>
				digestPackage(source, { signal, manifest, onProgress, ...(expect === undefined ? {} : { expect }) }),
			),
		),
	);
	const bytes = files.reduce((sum, file) => sum + file.size, 0);
	output.note("package", `${count(files.length, "file")}, ${formatBytes(bytes)}`);
	if (expect !== undefined) output.note("expected", "it is the expected package");
	const lines = manifest ? files.map((file) => `${file.sha256}  ${file.size}  ${escapeForDisplay(file.path)}`) : [];
	await output.answer([digest, ...lines].join("\n"), {
		status: "succeeded",
		digest,
		files: files.length,
		bytes,
		...(manifest ? { manifest: files } : {}),
	});
}
