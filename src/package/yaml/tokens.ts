/**
 * The guard before the YAML composer: the `yaml` package's lexer and syntax-tree parser, driven one lexeme at a time.
 *
 * Its composer recurses with the input's depth, and two deeply nested documents in one process can abort Node 20 and 22
 * beyond any catch. So nothing deep ever reaches it: nesting is stopped on the parser's own stack, and size on a budget of
 * meaningful lexemes, while the text is still being read.
 */

import { CST, Lexer, Parser } from "yaml";
import { PACKAGE_LIMITS } from "../limits.ts";
import { refuseAt } from "./place.ts";

/** The document, and nodes down to the deepest that may be in work: a scalar, or an empty collection. */
const STACK = PACKAGE_LIMITS.metadataDepth + 1;

/**
 * No node needs more lexemes than `?`, `:`, `,`, an opener and a closer, its own scalar and its key's (each with the
 * parser's mark before it): more than ten for each of 4,096 nodes can't be a document within bounds.
 */
const LEXEMES = PACKAGE_LIMITS.metadataNodes * 10;

// What YAML 1.2 section 5.1 lets into a stream (c-printable), turned round: the text is well-formed, so a surrogate is half of a pair.
// Not by the flag u, with which WebKit 2.50 takes U+F900 U+FC00, and others of their kind, for a pair.
const UNPRINTABLE = /[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd]/;

/**
 * The syntax tree of one YAML document in `text` (at most 262,144 bytes), whose lone CRs were turned into LFs.
 * Refuses anchors, aliases, tags, directives, document markers other than one trailing `...`, a second document, unprintable
 * characters, and whatever is too deep or too large. Throws `PACKAGE_YAML_INVALID`, `PACKAGE_LIMIT_EXCEEDED`.
 */
export function readTokens(text: string): CST.Token[] {
	const unprintable = text.search(UNPRINTABLE);
	if (unprintable >= 0) {
		const spelled = text.codePointAt(unprintable)!.toString(16).toUpperCase().padStart(4, "0");
		throw refuseAt(
			text,
			unprintable,
			`The character U+${spelled} can't stand in frontmatter; write it as an escape in double quotes.`,
		);
	}
	const parser = new Parser();
	const guard = new Guard(text, parser);
	const tokens: CST.Token[] = [];
	for (const lexeme of new Lexer().lex(text)) {
		guard.check(lexeme);
		for (const token of parser.next(lexeme)) tokens.push(token);
	}
	for (const token of parser.end()) tokens.push(token);
	return tokens;
}

function isBlock(type: CST.Token["type"]): boolean {
	return type === "block-map" || type === "block-seq";
}

type LexemeType = ReturnType<typeof CST.tokenType>;

class Guard {
	readonly #text: string;
	readonly #parser: Parser;
	#lexemes = 0;
	#documents = 0;
	/** The lexer announces a plain or block scalar; the next lexeme is its text and means nothing else. */
	#atScalar = false;
	/** Column of the next lexeme while only indentation came before it in its line, else undefined. */
	#indent: number | undefined = 0;

	constructor(text: string, parser: Parser) {
		this.#text = text;
		this.#parser = parser;
	}

	/** Looks at one lexeme before the parser gets it. */
	check(lexeme: string): void {
		if (this.#atScalar) {
			this.#atScalar = false;
			this.#indent = undefined;
			this.#refuseMark(lexeme);
			this.#checkScalarLines(lexeme);
			return;
		}
		const type = CST.tokenType(lexeme);
		if (type === "newline") this.#indent = 0;
		else if (type === "space") {
			if (this.#indent !== undefined) this.#indent += lexeme.length;
		} else if (type !== "doc-mode") {
			this.#checkMeaning(type, lexeme);
			this.#indent = undefined;
		} else if (++this.#documents > 1) throw this.#refuse("Frontmatter is one YAML document; a second one begins here.");
		if (this.#parser.stack.length > STACK) throw this.#exceed("metadataDepth", "Nested too deeply");
	}

	#checkMeaning(type: LexemeType, lexeme: string): void {
		if (type === "comment") {
			this.#refuseMark(lexeme);
			return;
		}
		if (++this.#lexemes > LEXEMES) throw this.#exceed("metadataNodes", "Too many values");
		this.#checkFlowLine();
		switch (type) {
			case null:
				throw this.#refuse("This is no YAML.");
			case "byte-order-mark":
				throw this.#refuse("A byte order mark can't stand in frontmatter.");
			case "directive-line":
				throw this.#refuse("YAML directives are not part of FLOW.md.");
			case "anchor":
				throw this.#refuse('Anchors are not part of FLOW.md; quote the text if it begins with "&".');
			case "alias":
				throw this.#refuse('Aliases are not part of FLOW.md; quote the text if it begins with "*".');
			case "tag":
				throw this.#refuse('Tags are not part of FLOW.md; quote the text if it begins with "!".');
			case "doc-start":
				throw this.#refuse('A "---" marker begins a second document; the delimiter lines are exactly "---".');
			case "scalar":
				this.#atScalar = true;
				return;
			case "single-quoted-scalar":
			case "double-quoted-scalar":
				this.#checkScalarLines(lexeme);
				return;
		}
	}

	/**
	 * YAML 1.2 sections 6.1 and 7.4: what belongs to a block collection is indented more than it, each line of a flow
	 * collection too, the one with the closing bracket included. The lexer lets that bracket off, and everything once a
	 * comment stood further left.
	 */
	#checkFlowLine(): void {
		if (this.#indent === undefined || this.#indent > this.#blockIndent()) return;
		const top = this.#parser.stack.findLast(({ type }) => type === "flow-collection" || isBlock(type));
		if (top?.type !== "flow-collection" || top.end.length > 0) return;
		throw this.#refuse("A line inside brackets must be indented more than the key or item that they belong to.");
	}

	/** The same of the lines of a scalar: of a block scalar all, else all after the first. */
	#checkScalarLines(lexeme: string): void {
		const indent = this.#blockIndent();
		const isBlockScalar = this.#parser.stack.at(-1)?.type === "block-scalar";
		if (indent < 0 || (!isBlockScalar && !lexeme.includes("\n"))) return;
		const first = isBlockScalar ? 0 : lexeme.indexOf("\n") + 1;
		for (let start = first; start < lexeme.length; ) {
			const newline = lexeme.indexOf("\n", start);
			const end = newline < 0 ? lexeme.length : newline;
			let at = start;
			while (at < end && lexeme[at] === " ") at += 1;
			if (at - start <= indent && lexeme.slice(at, end).trim() !== "") {
				throw refuseAt(
					this.#text,
					this.#parser.offset + at,
					"A text of several lines must be indented more than the key or item that it belongs to.",
				);
			}
			start = end + 1;
		}
	}

	/** Indentation of the innermost block collection, -1 when there is none. */
	#blockIndent(): number {
		const block = this.#parser.stack.findLast(({ type }) => isBlock(type));
		return block !== undefined && "indent" in block ? block.indent : -1;
	}

	/** U+FEFF may stand in quoted scalars only (YAML 1.2 section 5.2). */
	#refuseMark(lexeme: string): void {
		const at = lexeme.indexOf("\ufeff");
		if (at >= 0) throw refuseAt(this.#text, this.#parser.offset + at, "A byte order mark can't stand here.");
	}

	#refuse(message: string): Error {
		return refuseAt(this.#text, this.#parser.offset, message);
	}

	#exceed(name: "metadataDepth" | "metadataNodes", what: string): Error {
		const max = PACKAGE_LIMITS[name];
		const message = `${what}: at most ${max} ${name === "metadataDepth" ? "levels" : "values"} are allowed.`;
		return refuseAt(this.#text, this.#parser.offset, message, "PACKAGE_LIMIT_EXCEEDED", { limit: { name, max } });
	}
}
