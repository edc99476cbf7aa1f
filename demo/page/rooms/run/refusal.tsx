import type { JSX } from "preact";
import { handOver } from "../../shell/handover.ts";
import { goTo } from "../../shell/route.ts";
import type { RunRoom, Subject } from "./room.ts";

export interface RefusalProps {
	readonly room: RunRoom;
	readonly subject: Extract<Subject, { kind: "refused" }>;
}

/** What was opened is neither a package that can be loaded nor a trace. */
export function Refusal({ room, subject: { name, fault, input } }: RefusalProps): JSX.Element {
	return (
		<div class="notice bad" role="alert">
			<p>
				<strong>{name}</strong> could not be opened: {fault.message} <code>{fault.code}</code>
			</p>
			{fault.code.startsWith("PACKAGE_ARCHIVE_") && (
				<p>It is no trace either: those begin with the line that millrace run --trace writes first.</p>
			)}
			{input !== undefined && (
				<p class="row">
					{fault.prefix !== undefined && (
						<button type="button" onClick={() => void room.open(input, fault.prefix)}>
							Open what lies in {fault.prefix}
						</button>
					)}
					{fault.code.startsWith("PACKAGE_") && (
						<button
							type="button"
							class="plain"
							onClick={() => {
								handOver(input);
								goTo("verify");
							}}
						>
							Look at it in Verify
						</button>
					)}
				</p>
			)}
		</div>
	);
}
