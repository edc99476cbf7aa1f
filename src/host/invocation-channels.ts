import type { ChannelContract } from "../contract/index.ts";
import type { JsonValue } from "../json/index.ts";
import type {
	ChannelExchange,
	ChannelOutcome,
	ChannelParticipant,
	ChannelRequest,
	ChannelWait,
	Failure,
	SourceTerms,
} from "../run/index.ts";
import { compileInlineSchema, SchemaError } from "../schema/index.ts";
import type { PackageContracts } from "./channel-contracts.ts";
import type { ChannelRoom } from "./channels.ts";

type Create = Extract<ChannelRequest, { readonly method: "channel/create" }>;

/**
 * The channels of one component: its session's requests on one side, its participant on the other. Everything is decided
 * inside the call that asks for it, except creations by a contract that has to be read from the package first.
 */
export class InvocationChannels {
	readonly participant: ChannelParticipant;
	readonly #contracts: PackageContracts;
	readonly #room: ChannelRoom;
	/** Requests that wait: sends, reads, and creations that look for their contract. */
	readonly #waits = new Map<ChannelExchange, ChannelWait>();
	/** Endpoints of creations that wait. */
	#allocating = 0;
	#reserve: (ids: number) => void = () => undefined;
	#unwatch: () => void = () => undefined;

	constructor(participant: ChannelParticipant, contracts: PackageContracts, room: ChannelRoom) {
		this.participant = participant;
		this.#contracts = contracts;
		this.#room = room;
	}

	/** Tells a session what its component has to settle, now and after each change (Run/1 section 1). */
	attach(reserve: (ids: number) => void): void {
		this.#reserve = reserve;
		this.#unwatch = this.#room.watch(() => this.#changed());
		this.#changed();
	}

	#changed(): void {
		this.#reserve(this.participant.reserve + this.#allocating);
	}

	request(exchange: ChannelExchange): void {
		const { request } = exchange;
		switch (request.method) {
			case "channel/create":
				this.#create(exchange, request);
				break;
			case "channel/subscribe":
				exchange.settle(this.participant.subscribe(request.source));
				break;
			case "channel/send":
				this.#wait(exchange, (settle) => this.participant.send(request.endpoint, request.value, settle));
				break;
			case "channel/next":
				this.#wait(exchange, (settle) => this.participant.next(request.endpoint, settle));
				break;
			case "channel/close":
				exchange.settle(this.participant.close(request.endpoint));
				break;
			case "channel/release":
				exchange.settle(this.participant.release(request.endpoint));
		}
		this.#changed();
	}

	/** The component cancelled a request that waits. */
	cancel(exchange: ChannelExchange): void {
		this.#waits.get(exchange)?.cancel();
	}

	#wait(exchange: ChannelExchange, begin: (settle: (outcome: ChannelOutcome) => void) => ChannelWait): void {
		let settled = false;
		const wait = begin((outcome) => {
			settled = true;
			this.#waits.delete(exchange);
			exchange.settle(outcome);
		});
		if (!settled) this.#waits.set(exchange, wait);
	}

	#create(exchange: ChannelExchange, { delivery = "direct", schema, contract }: Create): void {
		if (contract !== undefined) {
			const found = this.#contracts.resolve(contract);
			if (found instanceof Promise) void this.#createLater(exchange, delivery, found);
			else exchange.settle(this.#allocate(delivery, found));
			return;
		}
		try {
			const terms: SourceTerms =
				schema === undefined ? { delivery } : { delivery, schema: compileInlineSchema(schema, "/schema") };
			exchange.settle(this.participant.create(terms));
		} catch (error) {
			if (!(error instanceof SchemaError)) throw error;
			const { code, schemaPointer } = error;
			const details = [{ code, schemaPointer }];
			const message = "The item schema is no Schema/1 schema that this host can use.";
			exchange.settle({ failure: { code: "INVALID_INPUT", message, details } });
		}
	}

	#allocate(delivery: SourceTerms["delivery"], found: ChannelContract | Failure): ChannelOutcome {
		if ("code" in found) return { failure: found };
		return this.participant.create({ delivery, schema: found.item, contract: found.identity });
	}

	/**
	 * A creation whose contract has to be found first. Cancelling it answers at once; what it then still allocates counts like
	 * any other, and is given back. An owner that ended meanwhile allocates nothing.
	 */
	async #createLater(
		exchange: ChannelExchange,
		delivery: SourceTerms["delivery"],
		finding: Promise<ChannelContract | Failure>,
	): Promise<void> {
		const endpoints = delivery === "direct" ? 2 : 1;
		let waiting = true;
		const stop = (): void => {
			waiting = false;
			this.#allocating -= endpoints;
			this.#waits.delete(exchange);
		};
		this.#allocating += endpoints;
		this.#waits.set(exchange, {
			cancel: () => {
				stop();
				exchange.settle({ failure: { code: "CANCELLED", message: "The creation was cancelled." } });
				this.#changed();
			},
		});
		const found = await finding;
		const outcome = this.#allocate(delivery, found);
		if (waiting) {
			stop();
			exchange.settle(outcome);
		} else if ("result" in outcome) this.#giveBack(outcome.result);
		this.#changed();
	}

	#giveBack(granted: JsonValue): void {
		const { send, receive } = granted as { send: { endpoint: string }; receive?: { endpoint: string } };
		if (receive === undefined) this.participant.close(send.endpoint);
		else this.participant.release(receive.endpoint);
	}

	/** The component has a valid result: whether its channels let it stand; seals what it left open (Run/1 section 9). */
	finalise(): Failure | undefined {
		return this.participant.finalise();
	}

	/** The invocation is over, however that came. Later calls change nothing. */
	end(): void {
		this.#unwatch();
		this.#reserve = () => undefined;
		this.participant.end();
	}
}
