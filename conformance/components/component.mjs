// The component of the kit over this library's own SDK: it plays the scenario that its input holds (COMPONENT.md).
import { CapabilityError, handle, OperationError } from "millrace/sdk";

/** What a settled step is seen as. */
async function observe(work) {
	try {
		return { value: (await work) ?? null };
	} catch (error) {
		if (error instanceof CapabilityError) return { declared: { name: error.errorName, data: error.data } };
		if (error instanceof OperationError) {
			const { code, details } = error;
			return { error: details === undefined ? { code } : { code, details } };
		}
		if (error instanceof TypeError) return { local: true };
		throw error;
	}
}

function metadata({ direction, delivery, contract, startSequence }) {
	const found = { direction, delivery };
	if (contract !== undefined) found.contract = contract;
	if (startSequence !== undefined) found.startSequence = startSequence;
	return found;
}

const RAW = {
	undefined: () => undefined,
	nan: () => ({ outcome: "done", output: Number.NaN }),
	deep: () => ({ outcome: "done", output: Array.from({ length: 200 }).reduce((inner) => [inner], 0) }),
	huge: () => ({ outcome: "done", output: "x".repeat(8_388_609) }),
	extra: () => ({ outcome: "done", output: null, more: 1 }),
	outcome: () => ({ outcome: "No Name", output: null }),
};

class Scenario {
	#run;
	#seen = new Map();
	#waits = new Map();
	#controllers = new Map();
	#endpoints = new Map();

	constructor(run) {
		this.#run = run;
		for (const [name, endpoint] of Object.entries(run.channels)) this.#endpoints.set(`run.${name}`, endpoint);
	}

	async play({ steps }) {
		for (const step of steps) {
			const [verb] = Object.keys(step);
			const ended = await this[verb](step[verb], step);
			if (ended !== undefined) return ended.result;
		}
		throw new Error("The scenario has no end.");
	}

	/** Begins a step that settles later; what it comes to is seen under `as`. */
	#begin({ as }, work) {
		const controller = new AbortController();
		const wait = observe(work({ signal: controller.signal })).then((seen) => this.#seen.set(as, seen));
		this.#controllers.set(as, controller);
		this.#waits.set(as, wait);
	}

	#mapped({ channels, ...call }) {
		if (channels === undefined) return call;
		const map = Object.entries(channels).map(([port, name]) => [port, this.#endpoint(name)]);
		return { ...call, channels: Object.fromEntries(map) };
	}

	/** An endpoint by its name; a name that nobody made stands for something that is no endpoint. */
	#endpoint(name) {
		return this.#endpoints.get(name) ?? { direction: "send" };
	}

	child(call, step) {
		this.#begin(step, (options) => this.#run.runChildFlow(this.#mapped(call), options));
	}

	capability(call, step) {
		this.#begin(step, (options) => this.#run.callCapability(this.#mapped(call), options));
	}

	channel(options, step) {
		this.#begin(step, async (callOptions) => {
			const made = await this.#run.channel(options, callOptions);
			this.#endpoints.set(`${step.as}.send`, made.send);
			if (made.receive === undefined) this.#endpoints.set(step.as, made);
			else this.#endpoints.set(`${step.as}.receive`, made.receive);
			const receive = made.receive === undefined ? {} : { receive: metadata(made.receive) };
			return { send: metadata(made.send), ...receive };
		});
	}

	subscribe(name, step) {
		this.#begin(step, async (options) => {
			const receiver = await this.#endpoint(name).subscribe(options);
			this.#endpoints.set(step.as, receiver);
			return metadata(receiver);
		});
	}

	send([name, value], step) {
		this.#begin(step, (options) => this.#endpoint(name).send(value, options));
	}

	next(name, step) {
		this.#begin(step, async (options) => {
			const { done, value } = await this.#endpoint(name).next(options);
			return done ? { end: true } : { item: value };
		});
	}

	close(name, step) {
		this.#begin(step, (options) => this.#endpoint(name).close(options));
	}

	iterate(name, step) {
		this.#begin(step, async () => {
			const items = [];
			for await (const item of this.#endpoint(name)) {
				items.push(item);
				if (items.length === step.max) break;
			}
			return items;
		});
	}

	cancel(name) {
		this.#controllers.get(name).abort();
	}

	async await(names) {
		await Promise.all(names.map((name) => this.#waits.get(name)));
	}

	root(_, { as }) {
		const { settings, attachments, scratch, deadlineUnixMs, channels } = this.#run;
		const ports = Object.entries(channels).map(([name, endpoint]) => [name, metadata(endpoint)]);
		const value = { settings, attachments, scratch, deadlineUnixMs, channels: Object.fromEntries(ports) };
		this.#seen.set(as, { value });
	}

	async awaitCancel() {
		const { signal } = this.#run;
		if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve));
	}

	print(text) {
		console.log(text);
	}

	return(result) {
		return { result: this.#filled(result) };
	}

	returnRaw(kind) {
		return { result: RAW[kind]() };
	}

	fail({ code, message = "It failed.", details }) {
		throw new OperationError(code, message, details);
	}

	throw(text) {
		throw new Error(text);
	}

	/** A value with `{"$": name}` replaced by what was seen under that name, or null. */
	#filled(value) {
		if (Array.isArray(value)) return value.map((item) => this.#filled(item));
		if (typeof value !== "object" || value === null) return value;
		const entries = Object.entries(value);
		if (entries.length === 1 && entries[0][0] === "$") return this.#seen.get(entries[0][1]) ?? null;
		return Object.fromEntries(entries.map(([name, member]) => [name, this.#filled(member)]));
	}
}

await handle((run) => new Scenario(run).play(run.input));
