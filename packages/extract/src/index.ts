export {
  type ExtractionLimits,
  type PassageLocation,
  type UnreadableCode,
  unreadableCodes,
} from "./blocks.ts"
export {
  createExtractor,
  type ExtractedText,
  type ExtractionOutcome,
  type Extractor,
  type UnreadableReason,
} from "./extractor.ts"
export { detectFileType } from "./file-type.ts"
export { type Passage, splitIntoPassages } from "./passages.ts"
export { readMarkdown } from "./plain-text.ts"
