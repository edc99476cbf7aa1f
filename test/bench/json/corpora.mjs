// The documents that reading and writing JSON is measured on: made anew by a seeded generator, so that every run has the same.

/** mulberry32. */
function seeded(seed) {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
	};
}

const random = seeded(8785);
const upTo = (count) => Math.floor(random() * count);
const words = "the river turns its wheel and grinds what the harvest brought to the mill".split(" ");
const sentence = (count) => Array.from({ length: count }, () => words[upTo(words.length)]).join(" ");
const scripts = ["Grüße aus Köln", "水車がまわる", "мельница стоит у реки", "الطاحونة", "🌾🌊⚙️", "plain"];

/** A request as it stands in a frame of Run/1, 0.2 KB. */
export const frame = {
	jsonrpc: "2.0",
	method: "flow/call",
	id: "r-000017",
	params: {
		operationId: "summarize-17",
		slot: "summarizer",
		intent: "Summarize: one paragraph",
		input: { text: sentence(6), limit: 3, strict: true },
		channels: {},
	},
};

const records = Array.from({ length: 344 }, (_, id) => ({
	id,
	name: sentence(2),
	created: `2026-11-${10 + upTo(20)}T12:34:56Z`,
	score: Math.round(random() * 1e6) / 1e3,
	tags: [sentence(1), sentence(1)],
	owner: { id: upTo(1000), active: random() < 0.5, note: null },
}));

const engines = ["chrome", "chrome_android", "edge", "firefox", "firefox_android", "opera", "safari", "safari_ios"];

/** Nested tables of short strings, as browser-compat-data has them; some with a character that isn't ASCII. */
function compatibility(count, hasOthers) {
	const support = () =>
		Object.fromEntries(
			engines.map((engine) => {
				if (random() < 0.6) return [engine, { version_added: String(upTo(120)) }];
				if (random() < 0.5) return [engine, "mirror"];
				const notes = sentence(8) + (hasOthers && random() < 0.02 ? " – für" : "");
				return [engine, { version_added: String(upTo(90)), version_removed: String(90 + upTo(30)), notes }];
			}),
		);
	const entry = (name) => ({
		__compat: {
			mdn_url: `https://developer.example.org/docs/Web/API/${name}`,
			spec_url: `https://spec.example.org/#${name}`,
			tags: [`web-features:${words[upTo(words.length)]}`],
			support: support(),
			status: { experimental: random() < 0.1, standard_track: true, deprecated: false },
		},
	});
	return Object.fromEntries(Array.from({ length: count }, (_, id) => [`Interface${id}`, entry(`Interface${id}`)]));
}

const integers = Array.from({ length: 10_000 }, () => upTo(100_000));
const text = Array.from({ length: 1_000 }, (_, id) => sentence(1900) + (id % 50 === 0 ? " —" : ""));
const degrees = (most) => Number((random() * 2 * most - most).toFixed(6 + upTo(10)));
const shapes = {
	type: "FeatureCollection",
	features: Array.from({ length: 180 }, (_, id) => ({
		type: "Feature",
		id: `C${id}`,
		properties: { name: sentence(2) },
		geometry: { type: "Polygon", coordinates: [Array.from({ length: 185 }, () => [degrees(180), degrees(90)])] },
	})),
};
const mixed = Array.from({ length: 8_000 }, (_, id) => ({
	id,
	text: `${scripts[upTo(6)]} ${scripts[upTo(6)]} ${scripts[upTo(6)]}`,
}));
const compatible = compatibility(5_000, true);

/** What is not ASCII as `\uXXXX`. */
function escaped(value) {
	const unit = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
	return JSON.stringify(value).replaceAll(/[\u0080-\uffff]/g, unit);
}

/** Titles and texts of the ten documents that reading is measured on. */
export const documents = [
	["frame, 0.2 KB", JSON.stringify(frame)],
	["records, 80 KB pretty", JSON.stringify(records, null, 2)],
	["integers, 60 KB", JSON.stringify(integers)],
	["tables, 30 KB", JSON.stringify(compatibility(42, false))],
	["tables, 3 MB", JSON.stringify(compatible)],
	["tables, 6 MB pretty", JSON.stringify(compatible, null, 2)],
	["text, 10 MB", JSON.stringify(text)],
	["GeoJSON, 1.1 MB", JSON.stringify(shapes)],
	["mixed scripts, 0.6 MB", JSON.stringify(mixed)],
	["\\u escapes, 1.2 MB", escaped(mixed)],
];

/** `count` copies of a text with something between them. */
const many = (count, piece) => Array.from({ length: count }, () => piece).join(",");

/** Documents that are made to be dear, by name: texts of about `size` characters. */
export const hostile = (size) => [
	[
		"names of one hash or prefix",
		`{${Array.from({ length: size / 64 }, (_, id) => `"${"a".repeat(50)}${String(id).padStart(6, "0")}":0`).join(",")}}`,
	],
	["one huge string", `"${"x".repeat(size)}"`],
	["one huge string of escapes", `"${"\\u00e9".repeat(size / 6)}"`],
	[
		"strings of colons",
		`{${Array.from({ length: size / 64 }, (_, id) => `"${id}":"${'\\":'.repeat(17)}"`).join(",")}}`,
	],
	["deep nesting, over and over", `[${many(Math.floor(size / 253), `${"[".repeat(126)}${"]".repeat(126)}`)}]`],
	["empty arrays", `[${many(4, `[${many(Math.min(65_000, size / 12), "[]")}]`)}]`],
	["numbers of 100 digits", `[${many(Math.floor(size / 101), `0.${"1".repeat(98)}`)}]`],
];
