import { escapeForDisplay } from "millrace";
import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { count, formatNumber } from "../../parts/format.ts";
import type { ManifestEntry } from "./manifest.ts";

/** Rows on one page: as many as a browser lays out without a pause. */
const PAGE = 100;

/** Every file with its size and SHA-256, a page at a time, filtered by its path or hash, in path order or by size. */
export function Files({ files }: { readonly files: readonly ManifestEntry[] }): JSX.Element {
	const [filter, setFilter] = useState("");
	const [bySize, setBySize] = useState(false);
	const [page, setPage] = useState(0);
	const shown = useMemo(() => select(files, filter, bySize), [files, filter, bySize]);
	const pages = Math.max(1, Math.ceil(shown.length / PAGE));
	const at = Math.min(page, pages - 1);
	const order = (next: boolean): void => {
		setBySize(next);
		setPage(0);
	};
	return (
		<section class="sheet" aria-labelledby="files">
			<div class="row spread">
				<h2 id="files">{count(files.length, "file")}</h2>
				{files.length > 10 && (
					<label>
						<span class="unseen">Filter by path or SHA-256</span>
						<input
							type="search"
							placeholder="Filter by path or SHA-256"
							value={filter}
							onInput={({ currentTarget }) => {
								setFilter(currentTarget.value);
								setPage(0);
							}}
						/>
					</label>
				)}
			</div>
			<table class="files">
				<thead>
					<tr>
						<th scope="col" aria-sort={bySize ? "none" : "ascending"}>
							<button type="button" class="sort" onClick={() => order(false)}>
								Path{!bySize && <span aria-hidden="true"> ↑</span>}
							</button>
						</th>
						<th scope="col" class="number" aria-sort={bySize ? "descending" : "none"}>
							<button type="button" class="sort" onClick={() => order(true)}>
								{bySize && <span aria-hidden="true">↓ </span>}Bytes
							</button>
						</th>
						<th scope="col">SHA-256</th>
					</tr>
				</thead>
				<tbody>
					{shown.slice(at * PAGE, (at + 1) * PAGE).map(({ path, size, sha256 }) => (
						<tr key={path}>
							<td class="mono">{escapeForDisplay(path)}</td>
							<td class="number">{formatNumber(size)}</td>
							<td>
								<code class="hash">{sha256.slice("sha256:".length)}</code>
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{shown.length === 0 && <p class="quiet">No path or hash has “{filter}” in it.</p>}
			{(pages > 1 || filter !== "") && shown.length > 0 && (
				<p class="row">
					<button type="button" class="plain" disabled={at === 0} onClick={() => setPage(at - 1)}>
						Previous
					</button>
					<span role="status">
						{formatNumber(at * PAGE + 1)} to {formatNumber(Math.min(shown.length, (at + 1) * PAGE))} of{" "}
						{formatNumber(shown.length)}
					</span>
					<button type="button" class="plain" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
						Next
					</button>
				</p>
			)}
		</section>
	);
}

function select(files: readonly ManifestEntry[], filter: string, bySize: boolean): readonly ManifestEntry[] {
	const wanted = filter.toLowerCase();
	const found =
		wanted === ""
			? files
			: files.filter(({ path, sha256 }) => path.toLowerCase().includes(wanted) || sha256.includes(wanted));
	return bySize ? [...found].sort((a, b) => b.size - a.size) : found;
}
