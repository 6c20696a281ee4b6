export {
  type ExtractionLimits,
  type PassageLocation,
  type UnreadableCode,
  type UnreadableDetail,
  type UnreadableFileType,
  type UnreadableReason,
  unreadableCodes,
} from "./blocks.ts"
export {
  createExtractor,
  type ExtractedText,
  type ExtractionOutcome,
  type Extractor,
} from "./extractor.ts"
export { detectFileType } from "./file-type.ts"
export { type Passage, splitIntoPassages } from "./passages.ts"
export { readMarkdown } from "./plain-text.ts"
