import { maxRows } from "../db/max-rows.ts"
import { fail } from "../errors.ts"
import { type Fields, objectsIn, ownValue } from "../formats/json-values.ts"
import type { NewResponseItem } from "./item-batches.ts"
import { storableIdPattern } from "./schema.ts"
import type { NewResponse } from "./store.ts"

/** What a request added to the items of the previous response, as it is stored. */
export interface SerializedInput {
  items: readonly NewResponseItem[]
  /** What they take in the database, with their response, as long as that is empty. */
  bytes: number
}

/** A large response, which was serialized where it was parsed. */
export interface SerializedResponse extends Pick<NewResponse, "id" | "previous_id" | "response"> {
  output: readonly NewResponseItem[]
}

/** A response and the input of its request. */
export type AnsweredRequest = { input: SerializedInput } & (
  | {
      /** The complete response object, with its output, under an id that no other response has. */
      response: Fields & { id: string }
    }
  | { serialized: SerializedResponse }
)

/** Maximum size of a response with its input, as JSON. */
export const maxResponseBytes = 16_000_000
/** What the row of a response or item takes besides its JSON: ids, numbers and index entries. */
const rowOverheadBytes = 200

/** Prefixes of item ids by type, as in the OpenAI API. */
const prefixByType: Record<string, string> = {
  message: "msg",
  reasoning: "rs",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  additional_tools: "at",
  code_interpreter_call: "ci",
  compaction: "cmp",
  computer_call: "cu",
  file_search_call: "fs",
  image_generation_call: "ig",
  local_shell_call: "lsh",
  mcp_approval_request: "mcpr",
  mcp_call: "mcp",
  mcp_list_tools: "mcpl",
  tool_search_call: "tsc",
  tool_search_output: "tso",
  web_search_call: "ws",
}

/** The id if it can be stored and found again, else null. */
export const toStorableId = (id: unknown): string | null =>
  typeof id === "string" && storableIdPattern.test(id) ? id : null

/** Gives an item an id if it has none, or one that cannot be stored. */
const withId = (item: Fields, newId: () => string): Fields => {
  if (toStorableId(item.id) !== null) return item
  const prefix = ownValue(prefixByType, item.type || "message") ?? "item"
  return { ...item, id: `${prefix}_${newId().replaceAll("-", "")}` }
}

const serializeItem = (item: Fields, isOutput: boolean): NewResponseItem => {
  const text = JSON.stringify(item)
  const bytes = Buffer.byteLength(text)
  return { item_id: toStorableId(item.id), is_output: isOutput ? 1 : 0, item: text, bytes }
}

const failTooLarge = (what: string): never =>
  fail("body_too_large", `${what}. Set "store" to false.`)

const checkLimits = (what: string, { count, bytes }: { count: number; bytes: number }): void => {
  if (count > maxRows.itemsPerResponse)
    failTooLarge(`${what} has more than ${maxRows.itemsPerResponse} items, and cannot be stored`)
  if (bytes > maxResponseBytes)
    failTooLarge(`${what} is too large to be stored (maximum ${maxResponseBytes} bytes)`)
}

const sumBytes = (items: readonly NewResponseItem[]): number =>
  items.reduce((sum, { bytes }) => sum + bytes, 0)

const withRowOverhead = (jsonBytes: number, count: number): number =>
  jsonBytes + (count + 1) * rowOverheadBytes

/** Serializes input items; one that is referred to several times is serialized once. */
const serializeItems = (input: readonly Fields[], newId: () => string): NewResponseItem[] => {
  const serialized = new Map<Fields, NewResponseItem>()
  return input.map((item) => {
    const row = serialized.get(item) ?? serializeItem(withId(item, newId), false)
    if (row.item_id === item.id) serialized.set(item, row)
    return row
  })
}

/**
 * Input items without an id get one.
 * @throws {Failure} `body_too_large` if no response to the input can be stored
 */
export const serializeInput = (input: readonly Fields[], newId: () => string): SerializedInput => {
  checkLimits("The input", { count: input.length, bytes: 0 })
  const items = serializeItems(input, newId)
  const bytes = sumBytes(items)
  checkLimits("The input", { count: items.length, bytes })
  return { bytes: withRowOverhead(bytes, items.length), items }
}

export const serializeOutput = (response: Fields & { id: string }): SerializedResponse => ({
  id: response.id,
  previous_id: toStorableId(response.previous_response_id),
  response: JSON.stringify({ ...response, output: [] }),
  output: objectsIn(response.output).map((item) => serializeItem(item, true)),
})

/** Splits a response into the rows that store it. @throws {Failure} `body_too_large` */
export const serializeResponse = (answered: AnsweredRequest): NewResponse => {
  const { input } = answered
  const { output, ...row } =
    "serialized" in answered ? answered.serialized : serializeOutput(answered.response)
  const items = [...input.items, ...output]
  const itemBytes = sumBytes(items)
  const jsonBytes = itemBytes + Buffer.byteLength(row.response)
  checkLimits("The response with its input", { count: items.length, bytes: jsonBytes })
  const bytes = withRowOverhead(jsonBytes, items.length)
  return { ...row, item_bytes: itemBytes, bytes, items }
}
