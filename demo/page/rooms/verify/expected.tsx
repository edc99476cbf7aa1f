/** Whether it is the expected package: against a digest, a manifest, or a second package. */
import { isDigest, type PackageSource, portableSha256 } from "millrace";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { DropZone } from "../../parts/drop-zone.tsx";
import type { PackageInput } from "../../parts/input.ts";
import { compareFiles, type Difference, withCrlf, withLf } from "./compare.ts";
import { type Examination, examine, readFile } from "./examine.ts";
import { MANIFEST_BYTES, type Manifest, readManifest } from "./manifest.ts";
import { openInput } from "./open.ts";
import { describeDifference } from "./report.ts";

export interface ExpectedProps {
	readonly examination: Examination;
	readonly source: PackageSource;
	/** What was found, for the report. */
	readonly onCompared: (differences: readonly Difference[] | undefined) => void;
}

interface Other {
	readonly name: string;
	readonly manifest: Manifest;
	/** Where the other's bytes can be read, when it is a package. */
	readonly source?: PackageSource;
}

export function Expected({ examination, source, onCompared }: ExpectedProps): JSX.Element {
	const [typed, setTyped] = useState("");
	const [busy, setBusy] = useState<string | undefined>();
	const [fault, setFault] = useState<string | undefined>();
	const [other, setOther] = useState<Other | undefined>();
	const [differences, setDifferences] = useState<readonly Difference[] | undefined>();

	useEffect(() => onCompared(differences), [differences, onCompared]);

	const take = async (input: PackageInput): Promise<void> => {
		setFault(undefined);
		setOther(undefined);
		setDifferences(undefined);
		setBusy(`Reading ${input.name || "the other package"}…`);
		try {
			const taken = await readOther(input);
			const found = compareFiles(taken.manifest.files, examination.files);
			setOther(taken);
			setDifferences(found);
			setBusy(found.some(({ kind }) => kind === "changed") ? "Looking at line endings…" : undefined);
			setDifferences(await lookAtLineEnds(found, source, taken));
		} catch (error) {
			setFault(error instanceof Error ? error.message : String(error));
		} finally {
			setBusy(undefined);
		}
	};

	return (
		<section class="sheet" aria-labelledby="expected">
			<h2 id="expected">Is it the one you expect?</h2>
			<label class="field">
				<span>The digest that you were given</span>
				<input
					class="mono wide"
					placeholder="sha256:…"
					spellcheck={false}
					autocomplete="off"
					value={typed}
					onInput={({ currentTarget }) => setTyped(currentTarget.value)}
				/>
			</label>
			<div aria-live="polite">
				{typed.trim() !== "" && <Verdict typed={typed.trim()} digest={examination.digest} />}
			</div>
			<DropZone
				small
				label="Or drop a manifest, or the other package, to see what differs"
				onInput={(input) => void take(input)}
			/>
			{fault !== undefined && (
				<p class="notice bad" role="alert">
					{fault}
				</p>
			)}
			<div aria-live="polite">
				{busy !== undefined && <p class="quiet">{busy}</p>}
				{other !== undefined && differences !== undefined && (
					<Differences
						name={other.name}
						equal={other.manifest.digest === examination.digest}
						differences={differences}
					/>
				)}
			</div>
		</section>
	);
}

function Verdict({ typed, digest }: { readonly typed: string; readonly digest: string | undefined }): JSX.Element {
	const wanted = /^[0-9a-f]{64}$/i.test(typed) ? `sha256:${typed.toLowerCase()}` : typed;
	if (!isDigest(wanted)) {
		return <p class="notice warn">That is no digest: it is “sha256:” and 64 digits or letters from a to f.</p>;
	}
	if (wanted === digest) {
		return (
			<p class="notice good" data-testid="expected-verdict">
				<strong>✓ Equal.</strong> This is the package with that digest, byte for byte.
			</p>
		);
	}
	return (
		<p class="notice bad" data-testid="expected-verdict">
			<strong>✗ Not equal.</strong> This is another package. Drop a manifest of the expected one below to see what
			differs.
		</p>
	);
}

/** Differences that are listed at most. */
const LISTED = 500;

function Differences({
	name,
	equal,
	differences,
}: {
	readonly name: string;
	readonly equal: boolean;
	readonly differences: readonly Difference[];
}): JSX.Element {
	if (differences.length === 0) {
		return equal ? (
			<p class="notice good">
				<strong>✓ Equal.</strong> {name} has the same files, byte for byte.
			</p>
		) : (
			<p class="notice bad">
				<strong>✗ Not equal.</strong> {name} lists the same files, but its digest is another: one of the two was not
				made from these files.
			</p>
		);
	}
	const lineEnds = differences.filter((one) => one.kind === "changed" && one.lineEndsOnly).length;
	return (
		<div class="notice bad" data-testid="differences">
			<p>
				<strong>✗ Not equal.</strong> Against {name},{" "}
				{differences.length === 1 ? "one file differs" : `${differences.length} files differ`}
				{lineEnds === differences.length
					? ", by line endings alone: a checkout converted them. Check it out without conversion (git: core.autocrlf=false)."
					: "."}
			</p>
			<ul class="bare differences">
				{differences.slice(0, LISTED).map((difference) => (
					<li key={difference.path}>
						<span class="tag">{difference.kind}</span> {describeDifference(difference)}
					</li>
				))}
			</ul>
			{differences.length > LISTED && <p>… and {differences.length - LISTED} more; the report has them all.</p>}
		</div>
	);
}

/** A manifest by its looks, else a package. Throws `Error` with words for people. */
async function readOther(input: PackageInput): Promise<Other> {
	if (input.kind === "file" && /\.(?:json|txt|manifest)$/i.test(input.name)) {
		if (input.file.size > MANIFEST_BYTES) throw new Error(`${input.name} is too large for a manifest.`);
		return { name: input.name, manifest: readManifest(await input.file.text()) };
	}
	const { signal } = new AbortController();
	for (let prefix: string | undefined; ; ) {
		const opened = openInput(input, prefix, signal, () => {});
		const { digest, files, refusals } = await examine(opened.source, { signal, onProgress: () => {} });
		if (digest !== undefined)
			return { name: input.name || "the other", manifest: { digest, files }, source: opened.source };
		const offered = opened.offered();
		opened.dispose();
		// The first package was opened as its owner chose; to compare, the content counts.
		if (offered === undefined || offered === prefix) {
			throw new Error(`${input.name || "The other package"}: ${refusals[0]?.message ?? "it has no digest."}`);
		}
		prefix = offered;
	}
}

/** Bytes of a file whose line endings are looked at. */
const LOOKED_AT = 8_388_608;

async function lookAtLineEnds(
	differences: readonly Difference[],
	source: PackageSource,
	{ manifest, source: otherSource }: Other,
): Promise<Difference[]> {
	const expected = new Map(manifest.files.map(({ path, sha256 }) => [path, sha256]));
	const looked: Difference[] = [];
	for (const difference of differences) {
		if (difference.kind !== "changed" || Math.max(...difference.sizes) > LOOKED_AT) {
			looked.push(difference);
			continue;
		}
		const bytes = await readFile(source, difference.path);
		const lf = sha256Of(withLf(bytes));
		const wanted = expected.get(difference.path);
		const lineEndsOnly =
			wanted === lf ||
			wanted === sha256Of(withCrlf(bytes)) ||
			(otherSource !== undefined && sha256Of(withLf(await readFile(otherSource, difference.path))) === lf);
		looked.push({ ...difference, lineEndsOnly });
	}
	return looked;
}

function sha256Of(bytes: Uint8Array): string {
	const hash = portableSha256();
	hash.update(bytes);
	return `sha256:${Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
