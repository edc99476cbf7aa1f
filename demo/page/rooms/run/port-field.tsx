/** A channel of the root: what it receives is typed, what it sends is shown. */
import type { ResolvedChannel } from "millrace";
import type { JSX } from "preact";
import { useId } from "preact/hooks";
import { count } from "../../parts/format.ts";
import { checkText } from "./check-text.ts";
import type { RunRoom } from "./room.ts";

export interface PortFieldProps {
	readonly name: string;
	readonly port: ResolvedChannel;
	readonly room: RunRoom;
}

export function PortField({ name, port, room }: PortFieldProps): JSX.Element {
	const id = useId();
	if (port.direction === "send") {
		const state = room.state.value;
		// At version 0 nothing has ever run; each later one may bring more.
		const received = room.version.value === 0 || state.kind === "idle" ? undefined : state.execution.received.get(name);
		return (
			<p>
				Channel <code>{name}</code>: what it sends comes to this page
				{received === undefined ? "." : ` (${count(received.count, "item")} so far).`}
			</p>
		);
	}
	const text = room.ports.value[name] ?? "[]";
	const checked = checkText(text, undefined);
	const list = checked.ok && Array.isArray(checked.value);
	return (
		<div class="run-field">
			<label for={id}>
				Channel <code>{name}</code> receives
			</label>
			<textarea
				id={id}
				class="run-json"
				rows={4}
				spellcheck={false}
				value={text}
				aria-invalid={!list}
				aria-describedby={`${id}-verdict`}
				onInput={({ currentTarget }) => {
					room.ports.value = { ...room.ports.value, [name]: currentTarget.value };
				}}
			/>
			<p id={`${id}-verdict`} class={list ? "quiet" : "bad"} aria-live="polite">
				{list
					? `${count((checked.value as readonly unknown[]).length, "item")}, in this order; each is checked as it is sent.`
					: "Write a JSON list: each of its items is sent."}
			</p>
		</div>
	);
}
