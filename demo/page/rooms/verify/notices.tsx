import type { JSX } from "preact";
import { count } from "../../parts/format.ts";
import type { Notice } from "./advise.ts";

const KINDS: Readonly<Record<Notice["kind"], string>> = {
	bidirectional: "direction",
	invisible: "invisible",
	control: "control",
	"mixed-script": "mixed letters",
	collision: "look-alike",
	surprising: "surprising",
	"line-ends": "line endings",
};

/** What a reviewer should look at. None of it is a verdict. */
export function Notices({ notices }: { readonly notices: readonly Notice[] }): JSX.Element {
	return (
		<section class="sheet" aria-labelledby="notices">
			<h2 id="notices">Worth a look</h2>
			{notices.length === 0 ? (
				<p class="quiet">
					No invisible or direction-changing characters, no words of mixed scripts, no look-alike names and no
					surprising files were found in the first megabyte of each file.
				</p>
			) : (
				<>
					<p class="quiet">{count(notices.length, "thing")} that a reviewer should see. None of them is a verdict.</p>
					<ul class="bare notices">
						{notices.map(({ kind, path, line, column, message }, index) => (
							<li key={index}>
								<span class="tag warn">{KINDS[kind]}</span>{" "}
								<code>
									{path}
									{line !== undefined && `:${line}:${column}`}
								</code>{" "}
								{message}
							</li>
						))}
					</ul>
				</>
			)}
		</section>
	);
}
