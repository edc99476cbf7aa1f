/** What is looked at: kinds, one operation, a text. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { formatNumber } from "../../../parts/format.ts";
import { EVERYTHING, type Filter, isEverything } from "./filter.ts";
import { GROUPS, type Group } from "./groups.ts";
import type { SequenceModel } from "./model.ts";

const NAMES: Readonly<Record<Group, string>> = {
	calls: "Calls",
	channels: "Channels",
	cancellation: "Cancellation",
	decisions: "Decisions",
	process: "Process",
};

/** Milliseconds that a search waits for the next key. */
const PAUSE = 150;

export interface ToolbarProps {
	readonly model: SequenceModel;
	readonly filter: Filter;
	readonly onFilter: (filter: Filter) => void;
	readonly listed: boolean;
	readonly onListed: (listed: boolean) => void;
	readonly onDownload: (() => void) | undefined;
}

export function Toolbar({ model, filter, onFilter, listed, onListed, onDownload }: ToolbarProps): JSX.Element {
	const toggle = (group: Group): void => {
		const groups = new Set(filter.groups);
		if (!groups.delete(group)) groups.add(group);
		onFilter({ ...filter, groups });
	};
	return (
		<div class="seq-tools">
			<fieldset class="seq-kinds">
				<legend class="unseen">Kinds of rows</legend>
				{GROUPS.map((group) => (
					<label key={group} class="seq-kind">
						<input type="checkbox" checked={filter.groups.has(group)} onChange={() => toggle(group)} />
						{NAMES[group]}
					</label>
				))}
			</fieldset>
			<label>
				<span class="unseen">Operation</span>
				<select
					value={filter.operation ?? ""}
					onChange={({ currentTarget: { value } }) =>
						onFilter({ ...filter, operation: value === "" ? undefined : value })
					}
				>
					<option value="">Every operation</option>
					{[...model.operations].map(([key, name]) => (
						<option key={key} value={key}>
							{name}
						</option>
					))}
					{model.operationCount > model.operations.size && (
						<option disabled>
							and {formatNumber(model.operationCount - model.operations.size)} more: search for them
						</option>
					)}
				</select>
			</label>
			<Search text={filter.text} onText={(text) => onFilter({ ...filter, text })} />
			<span class="seq-rest">
				{!isEverything(filter) && (
					<button type="button" class="plain copy" onClick={() => onFilter(EVERYTHING)}>
						Show everything
					</button>
				)}
				<button type="button" class="plain copy" aria-pressed={listed} onClick={() => onListed(!listed)}>
					As a list
				</button>
				{onDownload !== undefined && (
					<button type="button" class="plain copy" onClick={onDownload}>
						Download trace
					</button>
				)}
			</span>
		</div>
	);
}

function Search({ text, onText }: { readonly text: string; readonly onText: (text: string) => void }): JSX.Element {
	const [typed, setTyped] = useState(text);
	useEffect(() => setTyped(text), [text]);
	useEffect(() => {
		if (typed === text) return undefined;
		const timer = setTimeout(() => onText(typed), PAUSE);
		return () => clearTimeout(timer);
	}, [typed]);
	return (
		<label class="seq-search">
			<span class="unseen">Search in labels and frames</span>
			<input
				type="search"
				placeholder="Search labels and frames"
				value={typed}
				onInput={({ currentTarget }) => setTyped(currentTarget.value)}
			/>
		</label>
	);
}
