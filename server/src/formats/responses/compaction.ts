import { type Fields, isObject, objectsIn, textOf } from "../json-values.ts"
import { decodeGatewayContent, encodeGatewayContent } from "../opaque-content.ts"
import { failUnsupported } from "../request-errors.ts"

/** Items that stand for the conversation before them; Codex also uses the last two names. */
const compactionTypes = new Set(["compaction", "compaction_summary", "context_compaction"])

const isCompaction = ({ type }: Fields): boolean => compactionTypes.has(textOf(type))

const isTrigger = ({ type }: Fields): boolean => type === "compaction_trigger"

/** Whether a request asks for its conversation to be replaced by a `compaction` item. */
export const requestsCompaction = ({ input }: Fields): boolean => objectsIn(input).some(isTrigger)

/** What makes a model write the summary. */
export const summaryRequest = `Summarize this conversation for another assistant, which will continue it and sees nothing but your summary. Do not continue the work, and call no tools. Include:

- what the user asked for, with all constraints and preferences, and the decisions made
- what was done so far, with the names of files, commands, results and errors that still matter
- what remains to be done, and the next step

Be complete and precise, and quote what must not change. Reply with the summary only.`

/** Before a summary, as a message of the user. */
const summaryHeading = "Summary of the conversation so far:"

/** The item that stands for a conversation. Only the gateway reads its content. */
export const createCompaction = (id: string, summary: string): Fields => ({
  ...{ id, type: "compaction" },
  encrypted_content: encodeGatewayContent({ type: "compaction", summary }),
})

/** Null if the gateway did not write it. */
const readSummary = ({ encrypted_content }: Fields): string | null => {
  const { type, summary } = decodeGatewayContent(textOf(encrypted_content)) ?? {}
  return type === "compaction" ? textOf(summary) : null
}

const toSummaryText = (summary: string): string => `${summaryHeading}\n\n${summary}`

/**
 * The summary, as a message's text.
 * @throws {Failure} `unsupported_by_model` if only the provider that wrote it can read it
 */
export const decodeCompaction = (item: Fields): string => {
  const summary = readSummary(item)
  return summary === null
    ? failUnsupported(`items of type "${textOf(item.type)}" that another provider wrote`, "input")
    : toSummaryText(summary)
}

/**
 * Replaces the gateway's compactions by messages, for providers that cannot read them. Returns the
 * same value if there are none.
 */
export const expandCompactions = (input: unknown): unknown => {
  if (!Array.isArray(input)) return input
  let isChanged = false
  const expanded = input.map((item: unknown) => {
    const summary = isObject(item) && isCompaction(item) ? readSummary(item) : null
    if (summary === null) return item
    isChanged = true
    const content = [{ type: "input_text", text: toSummaryText(summary) }]
    return { type: "message", role: "user", content }
  })
  return isChanged ? expanded : input
}

const isLasting = ({ type, role }: Fields): boolean =>
  type === "additional_tools" || role === "system" || role === "developer"

/**
 * The part of a stored history that later requests continue: after a compaction that was asked for,
 * only what is not part of the conversation remains of the items before it.
 */
export const withoutCompacted = (history: readonly Fields[]): readonly Fields[] => {
  const trigger = history.findLastIndex(isTrigger)
  if (trigger < 0) return history
  const compaction = history.findIndex((item, at) => at > trigger && isCompaction(item))
  const kept = history.slice(0, Math.max(compaction, 0)).filter(isLasting)
  const rest = history.slice(Math.max(compaction, 0))
  return [...kept, ...rest].filter((item) => !isTrigger(item))
}
