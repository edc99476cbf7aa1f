import { escapeForDisplay } from "millrace";
import type { JSX } from "preact";
import { count, formatNumber } from "../../parts/format.ts";
import type { NoticeKind } from "./advise.ts";
import type { Noticed } from "./notice-book.ts";
import { placeOf } from "./report.ts";

const KINDS: Readonly<Record<NoticeKind, readonly [title: string, why: string]>> = {
	bidirectional: ["Characters that reorder text", "What is shown may not be what runs."],
	invisible: ["Invisible characters", "Nobody sees them, and they make names differ or hide text."],
	"mixed-script": ["Letters that pass for others", "A name that looks like one you know may be another."],
	control: ["Control characters", "Terminals and editors obey them instead of showing them."],
	collision: ["Names too much alike", "People, or some file systems, take one for the other."],
	secret: ["May be a secret", "Whoever has the package has it, too."],
	opaque: ["Nothing a person can read", "Reviewing the package doesn't review these."],
	surprising: ["Unexpected files", "They are part of the package, and of its digest."],
	"line-ends": ["Line endings", "A checkout that converts them changes the digest."],
};

/** Of one kind, so many are shown before somebody asks. */
const SHOWN = 5;

/** What a reviewer should look at. None of it is a verdict. */
export function Notices({ noticed }: { readonly noticed: readonly Noticed[] }): JSX.Element {
	const amount = noticed.reduce((sum, { notices, leftOut }) => sum + notices.length + leftOut, 0);
	return (
		<section class="sheet" aria-labelledby="notices">
			<h2 id="notices" tabIndex={-1}>
				Worth a look
			</h2>
			{amount === 0 ? (
				<p class="quiet">
					Nothing stands out: no invisible or reordering characters, no words of mixed scripts, no look-alike names, no
					secrets, programs or leftovers. Looked at: every name, and the first megabyte of every file.
				</p>
			) : (
				<p class="quiet">{count(amount, "thing")} that a reviewer should see. None of them is a verdict.</p>
			)}
			{amount > 0 && (
				<div class="kinds">
					{noticed.map((one) => (
						<NoticesOfKind key={one.kind} {...one} />
					))}
				</div>
			)}
		</section>
	);
}

function NoticesOfKind({ kind, notices, leftOut }: Noticed): JSX.Element {
	const [title, why] = KINDS[kind];
	return (
		<div class="kind" data-kind={kind}>
			<h3>
				{title} <span class="tag warn">{formatNumber(notices.length + leftOut)}</span>
			</h3>
			<p class="quiet">{why}</p>
			<NoticeList notices={notices.slice(0, SHOWN)} />
			{notices.length > SHOWN && (
				<details>
					<summary>Show {formatNumber(notices.length - SHOWN)} more</summary>
					<NoticeList notices={notices.slice(SHOWN)} />
				</details>
			)}
			{leftOut > 0 && <p class="quiet">… and {formatNumber(leftOut)} more that are not listed.</p>}
		</div>
	);
}

function NoticeList({ notices }: Pick<Noticed, "notices">): JSX.Element {
	return (
		<ul class="bare lined">
			{notices.map((notice, index) => (
				<li key={index}>
					<code>{escapeForDisplay(placeOf(notice) ?? "")}</code> <span>{escapeForDisplay(notice.message)}</span>
				</li>
			))}
		</ul>
	);
}
