import { handle } from "@jigging/flow";

await handle(() => {
	console.log("Looping.");
	for (;;);
});
