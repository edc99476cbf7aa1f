/** What a package is, what it wants, and what it is given. */
import { useSignal } from "@preact/signals";
import { Fragment, type JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { CopyButton } from "../../parts/copy-button.tsx";
import { DropZone } from "../../parts/drop-zone.tsx";
import { count } from "../../parts/format.ts";
import { checkDeadline } from "./check-text.ts";
import type { Example } from "./examples.ts";
import { type Loaded, launcherFor } from "./loading.ts";
import { type Need, needsOf } from "./needs.ts";
import { PortField } from "./port-field.tsx";
import { type ChildSlot, type RunRoom, slotFault } from "./room.ts";
import { ValueField } from "./value-field.tsx";

export interface SetupProps {
	readonly room: RunRoom;
	readonly loaded: Loaded;
	readonly example: Example | undefined;
}

export function Setup({ room, loaded, example }: SetupProps): JSX.Element {
	const { snapshot } = loaded.pack;
	const needs = needsOf(snapshot, Object.keys(example?.capabilities?.() ?? {}), launcherFor);
	const blocked = needs.some(({ state }) => state === "blocking");
	return (
		<div class="pair run-setup">
			<About loaded={loaded} needs={needs} room={room} example={example} />
			<section class="sheet" aria-labelledby="run-give">
				<h2 id="run-give">What it is given</h2>
				<ValueField
					label="Input"
					text={room.input}
					schema={snapshot.schemas.input}
					schemaFile="input.schema.json"
					schemaText={loaded.schemas.get("input.schema.json")}
				/>
				{snapshot.schemas.settings !== undefined && (
					<ValueField
						label="Settings"
						text={room.settings}
						schema={snapshot.schemas.settings}
						schemaFile="settings.schema.json"
						schemaText={loaded.schemas.get("settings.schema.json")}
						rows={4}
					/>
				)}
				{[...snapshot.channels].map(([name, port]) => (
					<PortField key={name} name={name} port={port} room={room} />
				))}
				<Start room={room} blocked={blocked} />
			</section>
		</div>
	);
}

const STATES: Readonly<Record<Need["state"], string>> = { given: "good", lacking: "warn", blocking: "bad" };

function About({ room, loaded, needs, example }: SetupProps & { readonly needs: readonly Need[] }): JSX.Element {
	const { metadata, digest, files, entrypoint, body } = loaded.pack.snapshot;
	const blocking = needs.filter(({ state }) => state === "blocking");
	return (
		<section class="sheet" aria-labelledby="run-package">
			<h2 id="run-package">{metadata.name}</h2>
			<p>{metadata.description}</p>
			{blocking.length > 0 && (
				<div class="notice bad" role="alert">
					<strong>It can't run in a page.</strong>
					{blocking.map(({ what, words }) => (
						<p key={what}>
							<code>{what}</code>: {words}
						</p>
					))}
				</div>
			)}
			<dl class="facts">
				<dt>Digest</dt>
				<dd class="run-digest">
					<code>{digest}</code> <CopyButton text={digest} />
				</dd>
				<dt>Entrypoint</dt>
				<dd>
					{entrypoint === undefined ? "none" : <code>{entrypoint.path}</code>}
					<span class="quiet"> of {count(files.length, "file")}</span>
				</dd>
				{needs
					.filter(({ state }) => state !== "blocking")
					.map(({ what, words, state }) => (
						<Fragment key={what}>
							<dt>{what}</dt>
							<dd class={STATES[state]}>{words}</dd>
						</Fragment>
					))}
				{Object.entries(example?.children ?? {}).map(([slot, name]) => (
					<Fragment key={slot}>
						<dt>Child {slot}</dt>
						<dd class="good">
							This page runs its package <code>{name}</code> there.
						</dd>
					</Fragment>
				))}
			</dl>
			<details>
				<summary>FLOW.md</summary>
				<Instructions body={body} />
			</details>
			<Children room={room} bound={Object.keys(example?.children ?? {})} />
		</section>
	);
}

/** Bytes of FLOW.md that are shown. */
const INSTRUCTIONS = 16_384;

function Instructions({ body }: { readonly body: Uint8Array }): JSX.Element {
	const text = new TextDecoder().decode(body.subarray(0, INSTRUCTIONS)).trim();
	return (
		// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard
		<pre class="run-text" tabIndex={0}>
			{text === "" ? "It has no instructions." : text}
			{body.length > INSTRUCTIONS && "\n…"}
		</pre>
	);
}

/** Child slots are declared nowhere: whoever runs a package knows them from its FLOW.md. */
function Children({ room, bound }: { readonly room: RunRoom; readonly bound: readonly string[] }): JSX.Element {
	const name = useSignal("");
	const fault = useSignal<string | undefined>(undefined);
	const add = (): void => {
		const slot = name.value.trim();
		fault.value = bound.includes(slot) ? "This slot has a package already." : slotFault(slot);
		if (fault.value !== undefined) return;
		room.addChild(slot);
		name.value = "";
	};
	return (
		<details class="run-children" open={room.children.value.length > 0}>
			<summary>Child packages</summary>
			<p class="quiet">Does it run other packages? Its FLOW.md names the slots; give each a package.</p>
			<ul>
				{room.children.value.map((child) => (
					<Child key={child.slot} child={child} room={room} />
				))}
			</ul>
			<form
				class="row"
				onSubmit={(event) => {
					event.preventDefault();
					add();
				}}
			>
				<label class="run-slot">
					<span class="unseen">Name of a child slot</span>
					<input
						class="mono"
						placeholder="slot"
						value={name.value}
						onInput={({ currentTarget }) => {
							name.value = currentTarget.value;
						}}
					/>
				</label>
				<button type="submit" class="plain">
					Add a slot
				</button>
			</form>
			{fault.value !== undefined && (
				<p class="bad" role="alert">
					{fault.value}
				</p>
			)}
		</details>
	);
}

function Child({ child, room }: { readonly child: ChildSlot; readonly room: RunRoom }): JSX.Element {
	const { slot, name, pack, fault, offer } = child;
	const item = useRef<HTMLLIElement>(null);
	// Whoever has just made room for a package goes on with dropping it.
	useEffect(() => {
		if (pack === undefined) item.current?.querySelector<HTMLElement>(".drop button")?.focus();
	}, []);
	return (
		<li ref={item}>
			<p class="row">
				<code>{slot}</code>
				{pack !== undefined && <span class="good">{name}</span>}
				{pack === undefined && name !== undefined && fault === undefined && <span class="quiet">Reading {name}…</span>}
				<button type="button" class="plain copy" onClick={() => room.removeChild(slot)}>
					Remove <span class="unseen">the slot {slot}</span>
				</button>
			</p>
			{fault !== undefined && (
				<p class="bad" role="alert">
					{name}: {fault}
				</p>
			)}
			{offer !== undefined && (
				<button type="button" onClick={() => void room.bindChild(slot, offer.input, offer.prefix)}>
					Take what lies in {offer.prefix}
				</button>
			)}
			{pack === undefined && (
				<DropZone small label={`Drop the package for ${slot}`} onInput={(input) => void room.bindChild(slot, input)} />
			)}
		</li>
	);
}

function Start({ room, blocked }: { readonly room: RunRoom; readonly blocked: boolean }): JSX.Element {
	const state = room.state.value;
	const running = state.kind === "running";
	const deadline = checkDeadline(room.deadline.value);
	const whyNot = blocked ? "See above why it can't be run here." : room.whyNot();
	return (
		<div class="run-start">
			<label class="run-deadline">
				<span>Deadline</span>
				<input
					inputMode="decimal"
					value={room.deadline.value}
					aria-invalid={"problem" in deadline}
					onInput={({ currentTarget }) => {
						room.deadline.value = currentTarget.value;
					}}
				/>
				<span>seconds</span>
			</label>
			{running ? (
				<button type="button" class="plain" disabled={state.cancelling} onClick={() => room.cancel()}>
					{state.cancelling ? "Cancelling…" : "Cancel"}
				</button>
			) : (
				<button type="button" disabled={whyNot !== undefined} onClick={() => void room.start()}>
					Run
				</button>
			)}
			<p class="quiet" role="status">
				{running ? "Running in a Worker of its own." : "problem" in deadline ? deadline.problem : whyNot}
			</p>
		</div>
	);
}
