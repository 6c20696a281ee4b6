import type { ReadingWarning } from "@portico/extract"
import { z } from "zod"
import { MessageReference } from "../http/message-reference.ts"
import { mapQuotedTexts, translatable, withText } from "../i18n/message.ts"

/** What was not read of a file, or not for certain. */
export const FileWarning = z
  .object({
    /** For programs, such as `pages_without_text`. */
    code: z.string(),
    message: z.string(),
    reference: MessageReference,
  })
  .meta({ id: "FileWarning" })
export type FileWarning = z.output<typeof FileWarning>

/** Names of attachments and errors are cut off here. */
const maxQuoteLength = 200

const notReadAgain = "file_not_read_again"

const MessageList = z.array(MessageReference)

const toStored = ({ id, values }: MessageReference): MessageReference => ({
  id,
  values: mapQuotedTexts(values, (text) => text.slice(0, maxQuoteLength)),
})

/** As the column `files.warnings`. */
export const packWarnings = (warnings: readonly ReadingWarning[]): string =>
  JSON.stringify(warnings.map(toStored))

/** Adds why the file's earlier text is still in use, in place of an earlier reason. */
export const addNotReadAgain = (packed: string, reason: MessageReference | string): string => {
  const others = unpackWarnings(packed).filter(({ id }) => id !== notReadAgain)
  const { id, values } = translatable(notReadAgain, { reason })
  return JSON.stringify([...others, toStored({ id, values })])
}

const unpackWarnings = (packed: string): MessageReference[] => MessageList.parse(JSON.parse(packed))

const toWarning = (reference: MessageReference): FileWarning => ({
  code: reference.id.replace(/^(?:document|file)_/, ""),
  message: withText(reference).text,
  reference,
})

/** The warnings of a file, including that some of its passages have no embedding. */
export const warningsOf = ({
  warnings,
  embedding,
}: {
  warnings: string
  embedding: string | null
}): FileWarning[] => {
  const references = unpackWarnings(warnings)
  if (embedding === "failed") references.push({ id: "file_not_embedded", values: {} })
  return references.map(toWarning)
}
