export type { ExtractionLimits, PassageLocation } from "./blocks.ts"
export {
  createExtractor,
  type ExtractedText,
  type ExtractionOutcome,
  type Extractor,
} from "./extractor.ts"
export { detectFileType, type UnreadableFileType } from "./file-type.ts"
export {
  includedRecognitionLanguages,
  missingRecognitionLanguages,
  type RecognitionLanguages,
} from "./ocr/recognition-languages.ts"
export { type Passage, splitIntoPassages } from "./passages.ts"
export { readerVersion } from "./reader-version.ts"
export type { ReadingWarning } from "./reading-context.ts"
export { readMarkdown } from "./text/markdown.ts"
export { type TextEncoding, textEncodings } from "./text/text-encodings.ts"
export {
  type UnreadableCode,
  type UnreadableDetail,
  type UnreadableReason,
  unreadableCodes,
} from "./unreadable.ts"
