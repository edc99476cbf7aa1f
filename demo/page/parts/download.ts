/** Hands a text to the browser's downloads. */
export function download(name: string, type: string, text: string): void {
	const url = URL.createObjectURL(new Blob([text], { type }));
	const link = document.createElement("a");
	link.href = url;
	link.download = name;
	link.click();
	// The download has taken the Blob by then; the URL would keep it in memory.
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
