/** A Run under way: how long, how much, what it printed last. Stands where the outcome will. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDuration, formatNumber } from "../../parts/format.ts";
import type { RunRoom } from "./room.ts";

/** Milliseconds between two looks at the clock. */
const TICK = 200;

export function Running({ room }: { readonly room: RunRoom }): JSX.Element | null {
	const state = room.state.value;
	if (state.kind !== "running") return null;
	return <UnderWay room={room} cancelling={state.cancelling} since={state.since} />;
}

interface UnderWayProps {
	readonly room: RunRoom;
	readonly cancelling: boolean;
	readonly since: number;
}

function UnderWay({ room, cancelling, since }: UnderWayProps): JSX.Element {
	const box = useRef<HTMLElement>(null);
	const [, tick] = useState(0);
	useEffect(() => {
		const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
		box.current?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
		const timer = setInterval(() => tick((count) => count + 1), TICK);
		return () => clearInterval(timer);
	}, []);
	const { model, version } = room;
	const events = version.value < 0 || model.value === undefined ? 0 : model.value.events.length + model.value.dropped;
	const printed = room.printed.value;
	return (
		<section class="sheet run-outcome running" aria-labelledby="run-running" ref={box}>
			<div class="row">
				<h2 id="run-running">
					{cancelling ? "Cancelling…" : "Running…"}{" "}
					<span class="quiet run-time">
						{formatDuration(performance.now() - since)}, {formatNumber(events)} events
					</span>
				</h2>
				<button type="button" class="plain copy" disabled={cancelling} onClick={() => room.cancel()}>
					Cancel <span class="unseen">the Run</span>
				</button>
			</div>
			<pre class="run-printed" aria-label="What it prints" role="log" aria-live="off">
				{printed === "" ? "Nothing printed so far." : printed}
			</pre>
		</section>
	);
}
