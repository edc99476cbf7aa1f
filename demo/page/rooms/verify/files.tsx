import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { count, formatNumber } from "../../parts/format.ts";
import type { ManifestEntry } from "./manifest.ts";

/** Rows on one page: as many as a browser lays out without a pause. */
const PAGE = 100;

/** Every file with its size and SHA-256, a page at a time, filtered by its path. */
export function Files({ files }: { readonly files: readonly ManifestEntry[] }): JSX.Element {
	const [filter, setFilter] = useState("");
	const [page, setPage] = useState(0);
	const shown = filter === "" ? files : files.filter(({ path }) => path.toLowerCase().includes(filter.toLowerCase()));
	const pages = Math.max(1, Math.ceil(shown.length / PAGE));
	const at = Math.min(page, pages - 1);
	return (
		<section class="sheet" aria-labelledby="files">
			<div class="row spread">
				<h2 id="files">{count(files.length, "file")}</h2>
				{files.length > 10 && (
					<label>
						<span class="unseen">Filter by path</span>
						<input
							type="search"
							placeholder="Filter by path"
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
						<th scope="col">Path</th>
						<th scope="col" class="number">
							Bytes
						</th>
						<th scope="col">SHA-256</th>
					</tr>
				</thead>
				<tbody>
					{shown.slice(at * PAGE, (at + 1) * PAGE).map(({ path, size, sha256 }) => (
						<tr key={path}>
							<td class="mono">{path}</td>
							<td class="number">{formatNumber(size)}</td>
							<td>
								<code class="hash" title={sha256}>
									{sha256.slice(7)}
								</code>
							</td>
						</tr>
					))}
				</tbody>
			</table>
			{shown.length === 0 && <p class="quiet">No path has “{filter}” in it.</p>}
			{pages > 1 && (
				<p class="row">
					<button type="button" class="plain" disabled={at === 0} onClick={() => setPage(at - 1)}>
						Back
					</button>
					<span aria-live="polite">
						{formatNumber(at * PAGE + 1)} to {formatNumber(Math.min(shown.length, (at + 1) * PAGE))} of{" "}
						{formatNumber(shown.length)}
					</span>
					<button type="button" class="plain" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
						On
					</button>
				</p>
			)}
		</section>
	);
}
