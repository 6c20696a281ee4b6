import { maxRows } from "../db/table-limits.ts"
import { fail } from "../errors.ts"
import { type Fields, objectsIn, ownValue } from "../formats/json-values.ts"
import { storableId } from "./schema.ts"
import type { NewResponse, NewResponseItem } from "./store.ts"

/** A response and the items that its request added to those of the previous response. */
export interface AnsweredRequest {
  /** The complete response object, with its output, under an id that no other response has. */
  response: Fields & { id: string }
  input: readonly Fields[]
}

/** Maximum size of a response with its input, as JSON. */
const maxResponseBytes = 16_000_000
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
}

/** The id if it can be stored and found again, else null. */
export const toStorableId = (id: unknown): string | null =>
  typeof id === "string" && storableId.test(id) ? id : null

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
  fail("body_too_large", `The response and its input ${what}. Set "store" to false.`)

/** Splits a response into the rows that store it. @throws {Failure} `body_too_large` */
export const serializeResponse = (
  { response, input }: AnsweredRequest,
  newId: () => string,
): NewResponse => {
  const output = objectsIn(response.output)
  if (input.length + output.length > maxRows.itemsPerResponse)
    failTooLarge(`have more than ${maxRows.itemsPerResponse} items, and cannot be stored`)
  const items = [
    ...input.map((item) => serializeItem(withId(item, newId), false)),
    ...output.map((item) => serializeItem(item, true)),
  ]
  const text = JSON.stringify({ ...response, output: [] })
  const itemBytes = items.reduce((sum, { bytes }) => sum + bytes, 0)
  const jsonBytes = itemBytes + Buffer.byteLength(text)
  if (jsonBytes > maxResponseBytes)
    failTooLarge(`are too large to be stored (maximum ${maxResponseBytes} bytes)`)
  return {
    id: response.id,
    previous_id: toStorableId(response.previous_response_id),
    response: text,
    item_bytes: itemBytes,
    bytes: jsonBytes + (items.length + 1) * rowOverheadBytes,
    items,
  }
}
