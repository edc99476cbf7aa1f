import { escapeForDisplay } from "../../../src/display.ts";
import type { Digest } from "../../../src/sha256.ts";
import { digestPackage } from "../packages.ts";
import { count, type Output } from "./output.ts";
import { formatBytes, progressLine } from "./progress.ts";

/** `millrace digest DIR`: the Package/1 digest, and with `--manifest` the size and SHA-256 of each file. */
export async function digestCommand(
	root: string,
	options: { manifest?: boolean; expect?: Digest },
	signal: AbortSignal,
	output: Output,
): Promise<void> {
	const progress = progressLine(!output.json);
	const manifest = options.manifest === true;
	try {
		const { digest, files } = await digestPackage(root, {
			signal,
			manifest,
			onProgress: progress.update,
			...(options.expect === undefined ? {} : { expect: options.expect }),
		});
		progress.done();
		const bytes = files.reduce((sum, file) => sum + file.size, 0);
		output.note("package", `${count(files.length, "file")}, ${formatBytes(bytes)}`);
		const lines = manifest ? files.map((file) => `${file.sha256}  ${file.size}  ${escapeForDisplay(file.path)}`) : [];
		await output.answer([digest, ...lines].join("\n"), {
			status: "succeeded",
			digest,
			bytes,
			...(manifest ? { files } : { files: files.length }),
		});
	} finally {
		progress.done();
	}
}
