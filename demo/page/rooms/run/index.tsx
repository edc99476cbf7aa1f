/** A Flow in a Worker, or a trace of one: what happens is drawn as it happens. */
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { takeHandedOver } from "../../shell/handover.ts";
import { replaceRest, route } from "../../shell/route.ts";
import { Chooser } from "./chooser.tsx";
import { EXAMPLES, type Example } from "./examples.ts";
import { Outcome } from "./outcome.tsx";
import { Refusal } from "./refusal.tsx";
import { RunRoom } from "./room.ts";
import { Running } from "./running.tsx";
import { Setup } from "./setup.tsx";
import { Viewer } from "./trace/viewer.tsx";

/** One for as long as the page is open: who looks into another room finds everything again, and a Run goes on meanwhile. */
const room = new RunRoom();

export default function Room(): JSX.Element {
	const choose = (example: Example): void => {
		replaceRest("run", example.name);
		void room.openExample(example);
	};
	useEffect(() => {
		const handed = takeHandedOver();
		const named = EXAMPLES.find(({ name }) => name === route.value.rest);
		if (handed !== undefined) void room.open(handed);
		else if (room.subject.value.kind === "none") choose(named ?? EXAMPLES[0]!);
		else if (named !== undefined && !room.shows(named)) choose(named);
	}, []);
	// Somebody followed a link to another example, or stepped back to one.
	const { rest } = route.value;
	useEffect(() => {
		const named = EXAMPLES.find(({ name }) => name === rest);
		if (named !== undefined && room.subject.value.kind !== "none" && !room.shows(named)) choose(named);
	}, [rest]);
	return (
		<div class="run">
			<h1>Run</h1>
			<p class="lead">
				A Flow runs here in a Worker without network, page or storage. Every frame, decision and item is drawn as it
				happens.
			</p>
			<Chooser room={room} onExample={choose} onDropped={() => replaceRest("run", "")} />
			<Looked room={room} />
		</div>
	);
}

function Looked({ room }: { readonly room: RunRoom }): JSX.Element {
	const subject = room.subject.value;
	const model = room.model.value;
	return (
		<>
			{subject.kind === "loading" && (
				<p class="quiet" role="status">
					Reading {subject.name}…{subject.share !== undefined && ` ${Math.floor(subject.share * 100)} %`}
				</p>
			)}
			{subject.kind === "refused" && <Refusal room={room} subject={subject} />}
			{subject.kind === "package" && (
				<Setup key={subject.loaded.pack.digest} room={room} loaded={subject.loaded} example={subject.example} />
			)}
			<Running room={room} />
			<Outcome room={room} />
			{model !== undefined && (
				<Viewer
					model={model}
					version={room.version.value}
					live={room.state.value.kind === "running"}
					file={subject.kind === "package" ? `${subject.name}.trace` : undefined}
				>
					{subject.kind === "trace" ? <TraceWords name={subject.name} {...subject.trace} /> : undefined}
				</Viewer>
			)}
		</>
	);
}

interface TraceWordsProps {
	readonly name: string;
	readonly values: boolean;
	readonly truncated: boolean;
}

function TraceWords({ name, values, truncated }: TraceWordsProps): JSX.Element {
	return (
		<>
			<p>
				Read from <code>{name}</code>.
			</p>
			{!values && (
				<p class="notice warn">
					This trace was written without values: it has the order, the sizes and the decisions, but no frame can be
					looked into. Record it with <code>--trace-values</code> to see them.
				</p>
			)}
			{truncated && (
				<p class="notice warn">This trace reached its bound when it was written: what came after is not in it.</p>
			)}
		</>
	);
}
