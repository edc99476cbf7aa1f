import { describe, expect, test } from "vitest";
import { formatNumber, parseJson } from "../../src/json/index.ts";
import { refusal } from "./support.ts";

const view = new DataView(new ArrayBuffer(8));
function fromBits(bits: bigint): number {
	view.setBigUint64(0, bits);
	return view.getFloat64(0);
}

describe("RFC 8785 appendix B", () => {
	test.each<[string, string]>([
		["0000000000000000", "0"],
		["8000000000000000", "0"],
		["0000000000000001", "5e-324"],
		["8000000000000001", "-5e-324"],
		["7fefffffffffffff", "1.7976931348623157e+308"],
		["ffefffffffffffff", "-1.7976931348623157e+308"],
		["4340000000000000", "9007199254740992"],
		["c340000000000000", "-9007199254740992"],
		["4430000000000000", "295147905179352830000"],
		["44b52d02c7e14af5", "9.999999999999997e+22"],
		["44b52d02c7e14af6", "1e+23"],
		["44b52d02c7e14af7", "1.0000000000000001e+23"],
		["444b1ae4d6e2ef4e", "999999999999999700000"],
		["444b1ae4d6e2ef4f", "999999999999999900000"],
		["444b1ae4d6e2ef50", "1e+21"],
		["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
		["3eb0c6f7a0b5ed8d", "0.000001"],
		["41b3de4355555553", "333333333.3333332"],
		["41b3de4355555554", "333333333.33333325"],
		["41b3de4355555555", "333333333.3333333"],
		["41b3de4355555556", "333333333.3333334"],
		["41b3de4355555557", "333333333.33333343"],
		["becbf647612f3696", "-0.0000033333333333333333"],
		["43143ff3c1cb0959", "1424953923781206.2"],
	])("%s is %s", (bits, text) => {
		expect(formatNumber(fromBits(BigInt(`0x${bits}`)))).toBe(text);
	});

	test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])("%s is refused", (bits) => {
		expect(refusal(() => formatNumber(fromBits(BigInt(`0x${bits}`)))).code).toBe("JSON_NUMBER_RANGE");
	});
});

/** The shortest decimal in the rounding interval of a positive value, nearest to it: digits, and the power of ten after them. */
function shortest(bits: bigint): { digits: string; point: number } {
	const fraction = bits & 0xfffffffffffffn;
	const exponent = Number(bits >> 52n);
	const mantissa = exponent === 0 ? fraction : fraction | (1n << 52n);
	const scale = (exponent === 0 ? 1 : exponent) - 1075;
	// In quarters of the last place: the value, and the halfway points to its neighbours.
	const middle = mantissa * 4n;
	const low = middle - (fraction === 0n && exponent > 1 ? 1n : 2n);
	const high = middle + 2n;
	const closed = mantissa % 2n === 0n;
	const up = scale - 2 >= 0 ? 1n << BigInt(scale - 2) : 1n;
	const down = scale - 2 < 0 ? 1n << BigInt(2 - scale) : 1n;
	for (let count = 1; ; count++) {
		// Find the power of ten that leaves `count` digits before the point.
		let power = Math.floor(Math.log10(fromBits(bits))) + 1 - count;
		for (const adjusted of [power - 1, power, power + 1]) {
			const ten = 10n ** BigInt(Math.abs(adjusted));
			const [multiply, divide] = adjusted >= 0 ? [1n, ten] : [ten, 1n];
			const numerator = middle * up * multiply;
			const denominator = down * divide;
			const floor = numerator / denominator;
			if (floor.toString().length !== count && (floor + 1n).toString().length !== count) continue;
			power = adjusted;
			const inside = [floor, floor + 1n].filter((candidate) => {
				const exact = candidate * denominator;
				const least = low * up * multiply;
				const most = high * up * multiply;
				return closed ? exact >= least && exact <= most : exact > least && exact < most;
			});
			if (inside.length === 0) continue;
			const far = (candidate: bigint) => {
				const distance = candidate * denominator - numerator;
				return distance < 0n ? -distance : distance;
			};
			const best = inside.reduce((a, b) => (far(b) < far(a) ? b : a));
			const digits = best.toString();
			return { digits: digits.replace(/0+$/, "") || "0", point: power + digits.length };
		}
	}
}

/** ECMAScript Number::toString, steps 6 to 12, over {@link shortest}. */
function spell(x: number): string {
	if (x === 0) return "0";
	view.setFloat64(0, Math.abs(x));
	const { digits, point } = shortest(view.getBigUint64(0));
	const sign = x < 0 ? "-" : "";
	if (digits.length <= point && point <= 21) return sign + digits + "0".repeat(point - digits.length);
	if (point > 0 && point <= 21) return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
	if (point > -6 && point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
	const exponent = `e${point - 1 < 0 ? "-" : "+"}${Math.abs(point - 1)}`;
	return sign + digits[0] + (digits.length > 1 ? `.${digits.slice(1)}` : "") + exponent;
}

/** A seeded stream of 64-bit patterns (splitmix64). */
function* patterns(seed: bigint): Generator<bigint> {
	const mask = (1n << 64n) - 1n;
	for (let state = seed; ; ) {
		state = (state + 0x9e3779b97f4a7c15n) & mask;
		let mixed = ((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
		mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & mask;
		yield mixed ^ (mixed >> 31n);
	}
}

test("a seeded sample is spelled as exact integer arithmetic spells it", () => {
	const sample: number[] = [];
	for (const bits of patterns(8785n)) {
		const x = fromBits(bits);
		if (Number.isFinite(x)) sample.push(x);
		if (sample.length >= 4_000) break;
	}
	// Powers of two have a lopsided interval, and subnormals few digits; integers and decimals are what documents hold.
	for (let exponent = -1074; exponent <= 1023; exponent += 3) sample.push(2 ** exponent);
	for (let bits = 1n; bits < 300n; bits++) sample.push(fromBits(bits), fromBits(0x000ffffffffffff0n + bits));
	for (const bits of patterns(1n)) {
		sample.push(Number(bits & 0x1fffffffffffffn), Number(bits & 0xffffffn) / 1_000);
		if (sample.length >= 8_000) break;
	}
	const wrong = sample.filter((x) => formatNumber(x) !== spell(x));
	expect(wrong).toEqual([]);
});

test("a number is read as the value that is nearest to its decimal, and read back from its spelling", () => {
	for (const bits of patterns(754n)) {
		const x = fromBits(bits);
		if (Number.isFinite(x) && Math.abs(x) < 2 ** 53) expect(parseJson(formatNumber(x))).toBe(x === 0 ? 0 : x);
		if (bits % 500n === 0n) break;
	}
	// Exactly halfway between two values: ties go to the even one.
	expect(parseJson("4503599627370496.5")).toBe(4503599627370496);
	expect(parseJson("4503599627370497.5")).toBe(4503599627370498);
	expect(parseJson("2251799813685248.25")).toBe(2251799813685248);
	expect(parseJson("2251799813685248.75")).toBe(2251799813685249);
	expect(parseJson("2251799813685248.250000000000000000000000000000000000000000000000001")).toBe(2251799813685248.5);
	expect(parseJson("2.4703282292062327e-324")).toBe(0);
	expect(parseJson("2.4703282292062328e-324")).toBe(5e-324);
});
