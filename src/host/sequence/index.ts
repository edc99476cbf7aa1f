export { type SequenceDiagram, type SequenceMessage, type SequenceParticipant, sequenceOf } from "./diagram.ts";
export { sequenceMermaid } from "./mermaid.ts";
export { sequenceSvg } from "./svg.ts";
export { sequenceText } from "./text.ts";
