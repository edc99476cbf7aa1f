/** What a host reads on the fast way: the requests of a component (Run/1 sections 4 to 5.1). */

import type { JsonValue } from "../json/index.ts";
import { MEMBER_DEPTH, PARAMS_DEPTH, type RequestReader, type UsualRequest } from "./envelope.ts";
import { METHODS } from "./methods.ts";
import type { TextReader } from "./text-reader.ts";

const CLOSING = 0x7d;
const QUOTE = 0x22;

/** Where a name stands, by what was read before. */
const SLOT = 0;
const METHOD = 1;

/** How the params of any method begin, the method before them. */
const OTHERS: readonly (readonly [start: string, method: string])[] = [...METHODS.keys()].map((method) => [
	`${method}","params":`,
	method,
]);

/** Requests of a component, from the method's name to the end of the params. */
export const readRequest: RequestReader = (reader, end) => {
	const start = reader.at;
	const usual = readUsual(reader, end);
	if (usual !== undefined) return usual;
	reader.at = start;
	for (const [literal, method] of OTHERS) {
		if (!reader.skip(literal)) continue;
		const params = reader.value(end, PARAMS_DEPTH);
		if (typeof params !== "object" || params === null) return undefined;
		return { method, params, checked: false };
	}
	return undefined;
};

function readUsual(reader: TextReader, end: number): UsualRequest | undefined {
	if (reader.skip("c")) {
		if (reader.skip('apability/call","params":{"operationId":"')) return readCapability(reader, end);
		if (reader.skip('hannel/send","params":{"endpoint":"')) return readSend(reader, end);
		if (reader.skip('hannel/next","params":{"endpoint":"')) return readNext(reader, end);
		return undefined;
	}
	return reader.skip('flow/run-child","params":{"operationId":"') ? readChild(reader, end) : undefined;
}

function readCapability(reader: TextReader, end: number): UsualRequest | undefined {
	const operationId = reader.token();
	if (operationId === undefined || !reader.skip('","slot":"')) return undefined;
	const slot = reader.name(SLOT);
	if (slot === undefined || !reader.skip('","method":"')) return undefined;
	const method = reader.name(METHOD);
	if (method === undefined || !reader.skip('","input":')) return undefined;
	const input = lastMember(reader, end);
	if (input === undefined) return undefined;
	return { method: "capability/call", params: { operationId, slot, method, input }, checked: true };
}

function readChild(reader: TextReader, end: number): UsualRequest | undefined {
	const operationId = reader.token();
	if (operationId === undefined || !reader.skip('","slot":"')) return undefined;
	const slot = reader.name(SLOT);
	if (slot === undefined || !reader.skip('","input":')) return undefined;
	const input = lastMember(reader, end);
	if (input === undefined) return undefined;
	return { method: "flow/run-child", params: { operationId, slot, input }, checked: true };
}

function readSend(reader: TextReader, end: number): UsualRequest | undefined {
	const endpoint = reader.token();
	if (endpoint === undefined || !reader.skip('","value":')) return undefined;
	const value = lastMember(reader, end);
	if (value === undefined) return undefined;
	return { method: "channel/send", params: { endpoint, value }, checked: true };
}

function readNext(reader: TextReader, end: number): UsualRequest | undefined {
	const endpoint = reader.token();
	const { text, at } = reader;
	if (
		endpoint === undefined ||
		at !== end - 2 ||
		text.charCodeAt(at) !== QUOTE ||
		text.charCodeAt(at + 1) !== CLOSING
	) {
		return undefined;
	}
	return { method: "channel/next", params: { endpoint }, checked: true };
}

function lastMember(reader: TextReader, end: number): JsonValue | undefined {
	return reader.text.charCodeAt(end - 1) === CLOSING ? reader.value(end - 1, MEMBER_DEPTH) : undefined;
}
