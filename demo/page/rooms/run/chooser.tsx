import type { JSX } from "preact";
import { DropZone } from "../../parts/drop-zone.tsx";
import { EXAMPLES, type Example } from "./examples.ts";
import type { RunRoom } from "./room.ts";

export interface ChooserProps {
	readonly room: RunRoom;
	readonly onExample: (example: Example) => void;
	readonly onDropped: () => void;
}

/** What to run: an example, or what the user brings. */
export function Chooser({ room, onExample, onDropped }: ChooserProps): JSX.Element {
	const subject = room.subject.value;
	const chosen = subject.kind === "package" ? subject.example : undefined;
	return (
		<div class="run-chooser">
			<section aria-labelledby="run-examples">
				<h2 id="run-examples">Start from an example</h2>
				<ul class="run-examples">
					{EXAMPLES.map((example) => (
						<li key={example.name}>
							<button
								type="button"
								class="run-example"
								aria-pressed={chosen?.name === example.name}
								onClick={() => onExample(example)}
							>
								<strong>{example.title}</strong>
								<span>{example.about}</span>
							</button>
						</li>
					))}
				</ul>
			</section>
			<section aria-labelledby="run-own">
				<h2 id="run-own">Or bring your own</h2>
				<DropZone
					label="Drop a package or a trace"
					onInput={(input) => {
						onDropped();
						void room.open(input);
					}}
				/>
				<p class="quiet run-hint">
					A folder or archive runs here, in a Worker. A file of <code>millrace run --trace</code> is drawn as it is.
				</p>
			</section>
		</div>
	);
}
