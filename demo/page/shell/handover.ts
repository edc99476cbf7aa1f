/** What was dropped in one place and is to be looked at in another. */
import type { PackageInput } from "../parts/input.ts";

let waiting: PackageInput | undefined;

export function handOver(input: PackageInput): void {
	waiting = input;
}

/** Takes what was handed over, once. */
export function takeHandedOver(): PackageInput | undefined {
	const input = waiting;
	waiting = undefined;
	return input;
}
