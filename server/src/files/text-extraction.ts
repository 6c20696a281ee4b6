import { rm } from "node:fs/promises"
import type {
  ExtractedText,
  ExtractionLimits,
  Extractor,
  UnreadableCode,
  UnreadableReason,
} from "@portico/extract"
import { translatable } from "../i18n/message.ts"
import type { ExtractionEngine } from "./extraction-engine.ts"
import type { StoredFile } from "./file-store.ts"
import type { ObjectStore } from "./object-store.ts"
import { ProcessingError, unreadableError } from "./processing-error.ts"

export interface TextExtractionDeps {
  objects: ObjectStore
  extractor: Extractor
  limits: ExtractionLimits
  /** External extraction engine; null if none is configured. */
  engine: ExtractionEngine | null
}

/** A file that the gateway could not read itself. */
interface ExtractionAttempt {
  filename: string
  reason: UnreadableReason
  signal: AbortSignal
}

/** Formats that an external engine may read, by text recognition or as an old format. */
const codesForEngine: ReadonlySet<UnreadableCode> = new Set(["unsupported", "scanned"])

/** @throws {ProcessingError} if the file cannot be read */
export type ExtractText = (file: StoredFile, signal: AbortSignal) => Promise<ExtractedText>

/** Extracts the text of stored files, with the external engine if the gateway finds none. */
export const createTextExtraction = ({
  objects,
  extractor,
  limits,
  engine,
}: TextExtractionDeps): ExtractText => {
  /** Extracts with the external engine; fails with `reason` if the engine finds no text either. */
  const extractWithEngine = async (
    from: string,
    { filename, reason, signal }: ExtractionAttempt,
  ): Promise<ExtractedText> => {
    if (!engine || !codesForEngine.has(reason.code)) throw unreadableError(reason)
    const path = objects.temporary()
    try {
      await engine.read(from, path, { filename, signal })
      const task = { path, filename: `text.${engine.fileExtension}`, contentType: "", limits }
      const outcome = await extractor.read(task, signal)
      if ("unreadable" in outcome) throw unreadableError(reason)
      return { ...outcome.read, format: engine.name }
    } finally {
      await rm(path, { force: true })
    }
  }

  return async (file, signal) => {
    const copy = await objects.localCopy(file.hash)
    if (!copy) throw new ProcessingError("missing", translatable("file_lost"))
    const { filename, content_type: contentType, encoding } = file
    try {
      const task = { path: copy.path, filename, contentType, encoding: encoding ?? undefined }
      const outcome = await extractor.read({ ...task, limits }, signal)
      if ("read" in outcome) return outcome.read
      return await extractWithEngine(copy.path, { filename, reason: outcome.unreadable, signal })
    } finally {
      await copy.release()
    }
  }
}
