import { NOTICE_KINDS, type Notice, type NoticeKind } from "./advise.ts";

/** The notices of one kind. */
export interface Noticed {
	readonly kind: NoticeKind;
	readonly notices: readonly Notice[];
	/** Those that were too many to keep. */
	readonly leftOut: number;
}

/** Notices of one kind that are kept; more is a package that nobody reviews by hand. */
const KEPT = 100;

/** Notices by their kind, so that many of one kind hide none of another. */
export class NoticeBook {
	readonly #kinds: Map<NoticeKind, { notices: Notice[]; leftOut: number }> = new Map();

	add(notices: readonly Notice[]): void {
		for (const notice of notices) {
			const page = this.#kinds.get(notice.kind);
			if (page === undefined) this.#kinds.set(notice.kind, { notices: [notice], leftOut: 0 });
			else if (page.notices.length < KEPT) page.notices.push(notice);
			else page.leftOut += 1;
		}
	}

	/** What misleads a reader first. */
	noticed(): Noticed[] {
		return NOTICE_KINDS.flatMap((kind) => {
			const page = this.#kinds.get(kind);
			return page === undefined ? [] : [{ kind, ...page }];
		});
	}
}
