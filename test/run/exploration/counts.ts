/** How often each command, ending and race was met: an exploration that never meets something proves nothing about it. */
export class Counts {
	readonly #counts = new Map<string, number>();

	add(name: string, by = 1): void {
		this.#counts.set(name, (this.#counts.get(name) ?? 0) + by);
	}

	of(name: string): number {
		return this.#counts.get(name) ?? 0;
	}

	merge(other: Counts): void {
		for (const [name, count] of other.#counts) this.add(name, count);
	}

	/** One line per group, which is what stands before the first colon. */
	toString(): string {
		const groups = new Map<string, string[]>();
		for (const [name, count] of [...this.#counts].sort()) {
			const [group, ...rest] = name.split(":");
			groups.set(group!, [...(groups.get(group!) ?? []), `${rest.join(":")} ${count}`]);
		}
		return [...groups].map(([group, entries]) => `${group}: ${entries.join(", ")}`).join("\n");
	}
}
