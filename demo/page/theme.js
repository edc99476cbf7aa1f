// Runs before the first paint, as a plain script: the chosen theme, and the words for a page that can't start.
(() => {
	try {
		const theme = localStorage.getItem("millrace-theme");
		if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
	} catch {
		// Storage is closed to this page: the system's theme it is.
	}
	if (location.protocol !== "file:") return;
	document.addEventListener("DOMContentLoaded", () => {
		const words = document.getElementById("unopened");
		if (words === null) return;
		words.textContent =
			"This page was opened from a file, and browsers load no JavaScript modules from files. Serve the folder instead: " +
			"“npm run demo” in a checkout of millrace, or any static web server, for example “python3 -m http.server” in this folder.";
	});
})();
