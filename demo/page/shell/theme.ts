/** Light, dark, or as the system has it; kept where the browser lets us. */
import { type Signal, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const KEY = "millrace-theme";

export const theme: Signal<Theme> = signal((document.documentElement.dataset.theme as Theme | undefined) ?? "system");

export function chooseTheme(next: Theme): void {
	theme.value = next;
	if (next === "system") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = next;
	try {
		if (next === "system") localStorage.removeItem(KEY);
		else localStorage.setItem(KEY, next);
	} catch {
		// Then it holds until the page is closed.
	}
}
