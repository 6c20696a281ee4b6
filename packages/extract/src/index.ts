export type { ExtractionLimits, PassageLocation } from "./blocks.ts"
export {
  createExtractor,
  type ExtractedText,
  type ExtractionOutcome,
  type Extractor,
} from "./extractor.ts"
export { detectFileType, type UnreadableFileType } from "./file-type.ts"
export { readMarkdown } from "./markdown.ts"
export { type Passage, splitIntoPassages } from "./passages.ts"
export {
  type UnreadableCode,
  type UnreadableDetail,
  type UnreadableReason,
  unreadableCodes,
} from "./unreadable.ts"
