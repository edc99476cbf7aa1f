import { changed, treeError } from "./errors.ts";
import { fingerprintOf } from "./fingerprint.ts";
import { HeldDirectory, type Reach } from "./held.ts";

/**
 * The directories on the way to the file that was opened last, held for the next one: files come in path order, so the
 * next one usually lies beside it. Everything is released at the end of the loop's turn in which it was last used, so
 * that a pass that just stops leaves no descriptor behind.
 */
export class DirectoryChain {
	readonly #root: string;
	readonly #reach: Reach | undefined;
	readonly #fingerprints: ReadonlyMap<string, string>;
	readonly #held: HeldDirectory[] = [];
	readonly #names: string[] = [];
	#used = false;
	#scheduled = false;

	/** `fingerprints`: what each directory was when it was listed, by logical path. */
	constructor(root: string, fingerprints: ReadonlyMap<string, string>, reach: Reach | undefined) {
		this.#root = root;
		this.#fingerprints = fingerprints;
		this.#reach = reach;
	}

	/** The directory with this logical path (empty for the root), as it was listed; `PACKAGE_SOURCE_CHANGED` otherwise. */
	reach(path: string): HeldDirectory {
		this.#keep();
		const names = path === "" ? [] : path.split("/");
		let shared = 0;
		while (shared < names.length && shared < this.#names.length && names[shared] === this.#names[shared]) shared += 1;
		while (this.#names.length > shared) {
			this.#names.pop();
			this.#held.pop()?.close();
		}
		if (this.#held.length === 0) this.#held.push(this.#checked("", () => HeldDirectory.root(this.#root, this.#reach)));
		for (let depth = shared; depth < names.length; depth += 1) {
			const parent = this.#held[depth]!;
			const name = names[depth]!;
			this.#held.push(this.#checked(names.slice(0, depth + 1).join("/"), () => parent.child(name)));
			this.#names.push(name);
		}
		return this.#held[names.length]!;
	}

	release(): void {
		this.#names.length = 0;
		while (this.#held.length > 0) this.#held.pop()!.close();
	}

	#checked(path: string, open: () => HeldDirectory): HeldDirectory {
		let held: HeldDirectory;
		try {
			held = open();
		} catch (error) {
			throw treeError(error, path);
		}
		if (fingerprintOf(held.stats) === this.#fingerprints.get(path)) return held;
		held.close();
		throw changed(path, "changed after it was listed.");
	}

	#keep(): void {
		this.#used = true;
		if (this.#scheduled) return;
		this.#scheduled = true;
		const look = (): void => {
			if (this.#used) {
				this.#used = false;
				setImmediate(look);
				return;
			}
			this.#scheduled = false;
			this.release();
		};
		setImmediate(look);
	}
}
