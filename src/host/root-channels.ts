import type { JsonValue } from "../json/index.ts";
import type { ChannelGrant, ChannelParticipant, PortTerms } from "../run/index.ts";
import { type ChannelReceiver, type ChannelSender, createEndpoints, OperationError } from "../sdk/index.ts";
import { portTerms } from "./channel-contracts.ts";
import type { ChannelRoom } from "./channels.ts";
import { HostError } from "./errors.ts";
import type { Stage } from "./loaded.ts";
import { localWire } from "./local-wire.ts";
import type { RootChannel } from "./options.ts";
import type { HostRuntime } from "./ports.ts";

/** One port of the root with the host's program at its other end. */
interface Connection {
	readonly port: string;
	readonly terms: PortTerms;
	readonly given: RootChannel;
}

/** A connection with its source. */
interface Connected extends Connection {
	readonly program: ChannelParticipant;
	/** The grant of the program's own end. */
	readonly grant: ChannelGrant;
}

type Clock = Pick<HostRuntime, "schedule">;

/** Items fed between two turns of the host's program. */
const ITEMS_A_TURN = 32;

/** What the host's program did wrong at its end of a port; it never fails the Run. */
type Failed = (port: string, error: unknown) => void;

/**
 * The channels that the host's program connects to the root's ports (Channel Contract/1 section 1): it makes each source, with
 * the contract that the port names, and holds the other end. So what the root has sealed drains after the root has ended.
 */
export class RootChannels {
	readonly #connections: readonly Connection[];
	readonly #clock: Clock;
	#connected: readonly Connected[] = [];
	#failed: Failed = () => undefined;
	/** What the program does with what the Flow sends. */
	#reading: Promise<unknown>[] = [];
	#stops: (() => void)[] = [];
	#over = false;

	/**
	 * Checks what is given. Throws a `HostError` `CHANNEL_UNDECLARED` for a name that FLOW.md doesn't declare, and a
	 * `TypeError` for what can't be connected to its port.
	 */
	constructor(stage: Stage, given: Readonly<Record<string, RootChannel>> | undefined, clock: Clock) {
		this.#clock = clock;
		const { channels, channelContracts } = stage.snapshot;
		const ports = portTerms(channels, channelContracts);
		const connections: Connection[] = [];
		for (const [port, channel] of entriesOf(given)) {
			const terms = ports.get(port);
			if (terms === undefined) {
				throw new HostError(`FLOW.md declares no channel "${port}".`, {
					code: "CHANNEL_UNDECLARED",
					phase: "activation",
				});
			}
			checkKind(port, terms, channel);
			connections.push({ port, terms, given: channel });
		}
		this.#connections = connections;
	}

	/** The ports that are connected. */
	get ports(): readonly string[] {
		return this.#connections.map(({ port }) => port);
	}

	/** Makes the channels and gives the root's ends, or says which bound of the host is in the way. Once. */
	connect(
		room: ChannelRoom,
		root: ChannelParticipant,
		failed: Failed,
	): Readonly<Record<string, ChannelGrant>> | HostError {
		this.#failed = failed;
		const grants: Record<string, ChannelGrant> = {};
		const connected: Connected[] = [];
		for (const connection of this.#connections) {
			const { port, terms } = connection;
			const program = room.program(port);
			const { own, other } = makeSource(program, terms);
			const moved = program.transfer({ [port]: other }, new Map([[port, terms]]), root);
			if ("failure" in moved) {
				const { code, message } = moved.failure;
				return new HostError(`The channel "${port}" can't be connected: ${message}`, { code, phase: "activation" });
			}
			grants[port] = moved.grants[port]!;
			connected.push({ ...connection, program, grant: own });
		}
		this.#connected = connected;
		return grants;
	}

	/** The root is about to run: the program's ends come alive. */
	start(): void {
		for (const connection of this.#connected) {
			const serving = this.#serve(connection).catch((error: unknown) => this.#lost(connection, error));
			if (connection.terms.direction === "send") this.#reading.push(serving);
		}
	}

	/**
	 * The root is over. Resolves when the program has read what the root had sealed, at the latest a grace of `graceMs` after
	 * `stopped`. Nobody waits for what would still be sent.
	 */
	async finish(stopped: Promise<unknown>, graceMs: number): Promise<void> {
		this.#over = true;
		for (const stop of this.#stops) stop();
		for (const { terms, program } of this.#connected) if (terms.direction === "receive") program.end();
		const read = Promise.all(this.#reading);
		await Promise.race([read, stopped]);
		for (const { program } of this.#connected) program.end();
		await this.#within(read, graceMs);
	}

	async #within(work: Promise<unknown>, graceMs: number): Promise<void> {
		let cancel: () => void = () => undefined;
		const late = new Promise<void>((resolve) => {
			cancel = this.#clock.schedule(graceMs, resolve);
		});
		await Promise.race([work, late]);
		cancel();
	}

	async #serve({ terms, given, program, grant }: Connected): Promise<void> {
		const endpoint = createEndpoints(localWire(program)).grant(grant);
		if (terms.direction === "receive") {
			const sender = endpoint as ChannelSender;
			if (typeof given === "function") await (given as (sender: ChannelSender) => unknown)(sender);
			else await this.#feed(sender, given);
			// What the program left open it has finished with; a close that was made already is joined.
			await sender.close();
			return;
		}
		const receiver = endpoint as ChannelReceiver;
		await (given as (receiver: ChannelReceiver) => unknown)(receiver);
		await receiver.close();
	}

	/** Sends what the iterable gives, as fast as the root takes it. Ends when the root has; the iterator is then returned. */
	async #feed(sender: ChannelSender, given: Iterable<JsonValue> | AsyncIterable<JsonValue>): Promise<void> {
		const iterator = iteratorOf(given);
		let stop: () => void = () => undefined;
		this.#stops.push(() => stop());
		// A race against one promise for all steps would keep something of each of them.
		const next = (): Promise<IteratorResult<JsonValue>> =>
			new Promise((resolve, reject) => {
				stop = () => resolve({ done: true, value: undefined });
				Promise.resolve(iterator.next()).then(resolve, reject);
			});
		try {
			for (let sent = 1; ; sent += 1) {
				const step = await next();
				if (this.#over) break;
				if (step.done === true) return;
				await sender.send(step.value);
				// Acceptance is no turn of its own: an iterable without end must not keep the host from everything else.
				if (sent % ITEMS_A_TURN === 0) await new Promise<void>((resolve) => this.#clock.schedule(0, resolve));
			}
		} catch (error) {
			giveUp(iterator);
			throw error;
		}
		giveUp(iterator);
	}

	/** An end that failed takes its channel with it. That the Flow wants no more is no failure of a feed. */
	#lost({ port, program, terms }: Connected, error: unknown): void {
		program.end();
		const feeding = terms.direction === "receive";
		const unwanted = error instanceof OperationError && error.code === "DISCONNECTED";
		if (!(feeding && (unwanted || this.#over))) this.#failed(port, error);
	}
}

function entriesOf(given: Readonly<Record<string, RootChannel>> | undefined): [string, RootChannel][] {
	if (given === undefined) return [];
	if (typeof given !== "object" || given === null) throw new TypeError("options.channels must be an object.");
	return Object.entries(given);
}

function checkKind(port: string, { direction }: PortTerms, given: unknown): void {
	if (typeof given === "function") return;
	if (direction === "send") {
		throw new TypeError(`options.channels.${port} must be a function that takes a receiver: the Flow sends there.`);
	}
	const iterable = typeof given === "object" && given !== null;
	if (iterable && (Symbol.iterator in given || Symbol.asyncIterator in given)) return;
	throw new TypeError(
		`options.channels.${port} must be an iterable of JSON values or a function that takes a sender: the Flow receives there.`,
	);
}

/** A source as the port wants it: the end the program keeps, and the reference of the other. */
function makeSource(
	program: ChannelParticipant,
	{ direction, delivery = "direct", schema, contract }: PortTerms,
): { readonly own: ChannelGrant; readonly other: string } {
	const made = resultOf(program.create({ delivery, schema, contract })) as {
		readonly send: ChannelGrant;
		readonly receive?: ChannelGrant;
		readonly source?: string;
	};
	const receive = made.receive ?? (resultOf(program.subscribe(made.source!)) as ChannelGrant);
	return direction === "send"
		? { own: receive, other: made.send.endpoint }
		: { own: made.send, other: receive.endpoint };
}

function resultOf(outcome: ReturnType<ChannelParticipant["create"]>): unknown {
	if ("failure" in outcome) throw new TypeError(outcome.failure.message);
	return outcome.result;
}

function iteratorOf(
	given: Iterable<JsonValue> | AsyncIterable<JsonValue>,
): Iterator<JsonValue> | AsyncIterator<JsonValue> {
	return Symbol.asyncIterator in given ? given[Symbol.asyncIterator]() : given[Symbol.iterator]();
}

/** Tells an iterator that nothing more is wanted, and waits for nothing. */
function giveUp(iterator: Iterator<JsonValue> | AsyncIterator<JsonValue>): void {
	try {
		Promise.resolve(iterator.return?.()).catch(() => undefined);
	} catch {
		// Whatever it does about that is its own affair.
	}
}
