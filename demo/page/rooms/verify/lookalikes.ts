/** Paths that are different bytes and look alike to people. */
import type { Notice } from "./advise.ts";
import { withoutInvisible } from "./characters.ts";

/** A Latin letter or digit, and what can't be told from it: Cyrillic, Greek, Armenian and a few more. */
const ALIKE: readonly string[] = [
	"aаα",
	"cсϲ",
	"dԁ",
	"eе",
	"gɡց",
	"hһհ",
	"iіιı",
	"jјϳ",
	"kκ",
	"lIӀІΙǀ1|",
	"nո",
	"oоοօ",
	"pрρ",
	"qԛգ",
	"sѕ",
	"uυս",
	"vνѵ",
	"wԝ",
	"xх",
	"yуγ",
	"AАΑ",
	"BВΒ",
	"CСϹ",
	"EЕΕ",
	"HНΗ",
	"JЈ",
	"KКΚ",
	"MМΜ",
	"NΝ",
	"0OОΟՕ",
	"PРΡ",
	"SЅՏ",
	"TТΤ",
	"XХΧ",
	"YҮΥ",
	"ZΖ",
	"-‐‑‒–—−",
	"'’ʼʹ",
];

const SKELETON: ReadonlyMap<string, string> = new Map(
	ALIKE.flatMap((group) => {
		const [first = "", ...rest] = Array.from(group);
		return rest.map((letter) => [letter, first] as const);
	}),
);

/** What a path looks like: the same for paths that can't be told apart. */
export function skeletonOf(path: string): string {
	return Array.from(withoutInvisible(path.normalize("NFKC")), (letter) => SKELETON.get(letter) ?? letter).join("");
}

/** Each path that looks like one before it. */
export function adviseLookalikes(paths: readonly string[]): Notice[] {
	const seen = new Map<string, string>();
	const notices: Notice[] = [];
	for (const path of paths) {
		const skeleton = skeletonOf(path);
		const other = seen.get(skeleton);
		if (other === undefined) seen.set(skeleton, path);
		else notices.push({ kind: "collision", path, message: `looks like ${other}, and is another file` });
	}
	return notices;
}

/** Whether every letter of a name is of another script, and yet all of them look Latin: “сор” for “cop”. */
export function passesForLatin(name: string): boolean {
	const letters = name.match(/\p{L}/gu) ?? [];
	return (
		letters.length > 1 &&
		letters.every((letter) => !/\p{Script=Latin}/u.test(letter) && /^[a-zA-Z0]$/.test(SKELETON.get(letter) ?? ""))
	);
}
