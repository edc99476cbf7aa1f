/** A Run under way: how long, how much, what it printed last. Stands where the outcome will. */
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { formatDuration, formatNumber } from "../../parts/format.ts";
import type { Execution } from "./execution.ts";
import type { RunRoom } from "./room.ts";

/** Milliseconds between two looks at the clock. */
const TICK = 200;

export function Running({ room }: { readonly room: RunRoom }): JSX.Element | null {
	const state = room.state.value;
	if (state.kind !== "running") return null;
	return <UnderWay key={state.execution.since} room={room} version={room.version.value} {...state} />;
}

interface UnderWayProps {
	readonly room: RunRoom;
	readonly cancelling: boolean;
	/** Grows as more happens. */
	readonly version: number;
	readonly execution: Execution;
}

function UnderWay({ room, cancelling, execution }: UnderWayProps): JSX.Element {
	const box = useRef<HTMLElement>(null);
	const [, tick] = useState(0);
	useEffect(() => {
		const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
		box.current?.scrollIntoView({ block: "start", behavior: calm ? "auto" : "smooth" });
		const timer = setInterval(() => tick((count) => count + 1), TICK);
		return () => clearInterval(timer);
	}, []);
	const { model, printed, since } = execution;
	return (
		<section class="sheet run-outcome running" aria-labelledby="run-running" ref={box}>
			<div class="row">
				<h2 id="run-running">
					{cancelling ? "Cancelling…" : "Running…"}{" "}
					<span class="quiet run-time">
						{formatDuration(performance.now() - since)}, {formatNumber(model.events.length + model.dropped)} events
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
