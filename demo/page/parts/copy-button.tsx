/** Copies a text and says so. Plain http has no clipboard interface: there the text is selected in a field and copied from it. */
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

export interface CopyButtonProps {
	/** What is copied, or what gives it when it is asked for. */
	readonly text: string | (() => string);
	readonly label?: string;
}

export function CopyButton({ text, label = "Copy" }: CopyButtonProps): JSX.Element {
	const [said, say] = useState<string | undefined>();
	useEffect(() => {
		if (said === undefined) return undefined;
		const timer = setTimeout(() => say(undefined), 2_000);
		return () => clearTimeout(timer);
	}, [said]);
	return (
		<button
			type="button"
			class="plain copy"
			onClick={async () => say((await copy(typeof text === "string" ? text : text())) ? "Copied" : "Not copied")}
		>
			<span aria-live="polite">{said ?? label}</span>
		</button>
	);
}

async function copy(text: string): Promise<boolean> {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		return copyBySelection(text);
	}
}

function copyBySelection(text: string): boolean {
	const field = document.createElement("textarea");
	field.value = text;
	field.className = "unseen";
	document.body.append(field);
	field.select();
	try {
		return document.execCommand("copy");
	} finally {
		field.remove();
	}
}
