/** Whether a call's channel map can move (Run/1 section 5.1, Channel Contract/1 section 3). Looks only; changes nothing. */

import { sameIdentity } from "../../contract/index.ts";
import { quoteForDisplay } from "../../display.ts";
import { matchItemSchemas, type Schema } from "../../schema/index.ts";
import type { WireCode } from "../codes.ts";
import type { Failure } from "../ports.ts";
import { failure, violation } from "./failures.ts";
import type { PortTerms } from "./ports.ts";
import type { ChannelSource, Endpoint, Right } from "./rights.ts";
import { nontrivial } from "./source.ts";

/** One endpoint on its way to the port that asks for it. */
export interface Move {
	readonly port: string;
	readonly endpoint: Endpoint;
	/** The port's item schema, unless it is generic. */
	readonly schema: Schema | undefined;
}

/**
 * The moves of a whole map, or the one reason against all of them. Each question is asked of every entry before the next one,
 * so that the code doesn't depend on the order of the map: what is held, what is over, what was used, what the ports demand,
 * whether the schemas agree, whether the queued prefix fits.
 *
 * Codes: `PERMISSION_DENIED` not held, no endpoint, or used; `DISCONNECTED` a failed source, a sealed sender, a receiver that
 * is disposed, ended or failed; `RESOURCE_EXHAUSTED` a prefix that can't be checked within the work limit; else
 * `INVALID_INPUT`. Without `ports` every endpoint may move as it is.
 */
export function planTransfer(
	map: Readonly<Record<string, string>>,
	ports: ReadonlyMap<string, PortTerms> | undefined,
	rights: ReadonlyMap<string, Right>,
): { readonly moves: readonly Move[] } | { readonly failure: Failure } {
	const names = Object.keys(map).sort();
	const held: (readonly [port: string, endpoint: Endpoint])[] = [];
	for (const name of names) {
		const right = rights.get(map[name]!);
		if (right?.direction === undefined) {
			return refuse(
				"PERMISSION_DENIED",
				`Channel ${quoteForDisplay(name)} names no endpoint that this invocation holds.`,
			);
		}
		held.push([name, right]);
	}
	for (const [name, endpoint] of held) {
		const over = whyOver(endpoint);
		if (over !== undefined) return refuse("DISCONNECTED", `Channel ${quoteForDisplay(name)} can't move: ${over}.`);
	}
	for (const [name, endpoint] of held) {
		if (!endpoint.used) continue;
		return refuse("PERMISSION_DENIED", `Channel ${quoteForDisplay(name)} names an endpoint that was used here.`);
	}
	const moves: Move[] = [];
	const seen = new Set<Endpoint>();
	for (const [port, endpoint] of held) {
		const terms = ports?.get(port);
		const misfit = seen.has(endpoint)
			? "another channel of this call has the same endpoint"
			: ports && whyUnfit(endpoint, terms);
		if (misfit !== undefined)
			return refuse("INVALID_INPUT", `Channel ${quoteForDisplay(port)} doesn't fit: ${misfit}.`);
		seen.add(endpoint);
		moves.push({ port, endpoint, schema: nontrivial(terms?.schema) });
	}
	for (const [name, terms] of ports ?? []) {
		if (!terms.required || Object.hasOwn(map, name)) continue;
		return refuse("INVALID_INPUT", `The required channel ${quoteForDisplay(name)} is not connected.`);
	}
	const found = findConflict(moves) ?? findUnfitPrefix(moves);
	return found === undefined ? { moves } : { failure: found };
}

function refuse(code: WireCode, message: string): { readonly failure: Failure } {
	return { failure: failure(code, message) };
}

/** A source that isn't open takes no sender along; a receiver that is over can't come back. */
function whyOver(endpoint: Endpoint): string | undefined {
	const [what, { kind }] =
		endpoint.direction === "send" ? ["source", endpoint.source.state] : ["receiver", endpoint.state];
	return kind === "open" ? undefined : `its ${what} is ${kind}`;
}

/** What a declared port holds against an endpoint by itself. */
function whyUnfit(endpoint: Endpoint, terms: PortTerms | undefined): string | undefined {
	if (terms === undefined) return "no such channel is declared";
	const { delivery, contract } = endpoint.source;
	if (terms.direction !== endpoint.direction) return `it is declared to ${terms.direction}`;
	if (terms.delivery !== undefined && terms.delivery !== delivery)
		return `it is declared for ${terms.delivery} delivery`;
	if (endpoint.direction === "send") {
		// What is named stays so: a port that names nothing, or another contract, can't write to it. One that names a contract may
		// write to a source without a name, which then has the contract's schema and still no name.
		const named = contract === undefined || (terms.contract !== undefined && sameIdentity(contract, terms.contract));
		return named ? undefined : "it doesn't declare the source's contract";
	}
	if (terms.start === "beginning" && endpoint.startSequence !== 1) {
		return `it is declared from the beginning, and the receiver starts at ${endpoint.startSequence}`;
	}
	if (terms.contract === undefined) return undefined;
	return contract !== undefined && sameIdentity(contract, terms.contract)
		? undefined
		: "the source isn't named by the contract it declares";
}

/**
 * Two item schemas that say something and are not equal, at the two ends of one source: as the source has them, as live
 * readers have them, and as this map brings them.
 */
function findConflict(moves: readonly Move[]): Failure | undefined {
	const senders = new Map<ChannelSource, Move>();
	for (const move of moves) if (move.endpoint.direction === "send") senders.set(move.endpoint.source, move);
	for (const { port, endpoint, schema } of moves) {
		const { source } = endpoint;
		const against: (Schema | undefined)[] = [source.schema];
		if (endpoint.direction === "receive") against.push(endpoint.schema, senders.get(source)?.schema);
		else for (const reader of source.live) against.push(reader.schema);
		if (against.every((other) => matchItemSchemas(schema, other))) continue;
		return failure(
			"INVALID_INPUT",
			`Channel ${quoteForDisplay(port)} doesn't fit: its item schema is not that of the other end.`,
		);
	}
	return undefined;
}

/**
 * Items that a receiver would get and its port refuses. Only receivers that nobody read from move, so that no item is in
 * flight; a sender that moves was never used, so that its schema has no prefix. Sends that wait are no prefix: they are
 * checked when they are accepted.
 */
function findUnfitPrefix(moves: readonly Move[]): Failure | undefined {
	for (const { port, endpoint, schema } of moves) {
		if (endpoint.direction === "send" || schema === undefined) continue;
		// A schema that is there already is an equal one, and every item was checked against it.
		if (endpoint.source.schema !== undefined || endpoint.schema !== undefined) continue;
		for (const item of endpoint.queued) {
			const misfit = violation(schema, item.value);
			if (misfit === undefined) continue;
			const sentence = `Channel ${quoteForDisplay(port)} doesn't fit: item ${item.sequence} is waiting. ${misfit.message}`;
			return failure(misfit.code, sentence.slice(0, 1_000).toWellFormed(), misfit.details);
		}
	}
	return undefined;
}
