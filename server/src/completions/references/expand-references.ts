import { fail } from "../../errors.ts"
import { countValues, type Fields, objectsIn } from "../../formats/json-values.ts"
import { checkInput } from "../../formats/responses/check-request.ts"
import { withoutCompacted } from "../../formats/responses/compaction.ts"
import { toInputItems } from "../../formats/responses/to-input-items.ts"
import {
  type SerializedInput,
  serializeInput,
  toStorableId,
} from "../../stored-responses/serialize-response.ts"

/** What a request refers to, as it is stored. */
export interface StoredContent {
  /** The items of the previous responses, oldest first. */
  history: readonly string[]
  /** By id. */
  items: ReadonlyMap<string, string>
}

/** A request of the Responses API that refers to nothing stored. */
export interface ExpandedRequest {
  fields: Fields
  /** The request's own items, without those of earlier responses; null if they are not stored. */
  storedItems: SerializedInput | null
  /** The positions of stored items in its input: its history, and what it refers to. */
  storedPositions: readonly number[]
}

/** Each counts, also if several refer to the same item. */
const maxReferences = 1000
/** Objects, arrays and scalars, at every level, as in a body. */
const maxValues = 2_000_000

const isReference = ({ type, id }: Fields): boolean =>
  type === "item_reference" && toStorableId(id) !== null

/** The ids of the items that an input refers to, as often as it does. @throws {Failure} */
export const findReferences = (input: unknown): string[] => {
  const ids = objectsIn(input)
    .filter(isReference)
    .map(({ id }) => String(id))
  if (ids.length > maxReferences)
    fail("bad_request", `A request can refer to at most ${maxReferences} items.`, {
      param: "input",
    })
  return ids
}

/** Parses stored items, as long as they have not too many values in total. */
class StoredItemParser {
  #values = 0

  parse(text: string): Fields {
    const item: Fields = JSON.parse(text)
    this.count(countValues(item))
    return item
  }

  /** @throws {Failure} `bad_request` */
  count(values: number): void {
    this.#values += values
    if (this.#values <= maxValues) return
    const what = "The conversation and the items that the request refers to"
    const message = `${what} exceed ${maxValues} values in total. Start a new conversation, or refer to fewer items.`
    fail("bad_request", message, { param: "input" })
  }
}

/** Replaces the references that are known; an item that occurs several times is parsed once. */
const replaceReferences = (
  input: readonly Fields[],
  texts: ReadonlyMap<string, string>,
  parser: StoredItemParser,
): { items: Fields[]; stored: Set<Fields> } => {
  const parsed = new Map<string, { item: Fields; values: number }>()
  const stored = new Set<Fields>()
  const itemOf = (id: string, text: string): Fields => {
    const known = parsed.get(id)
    if (known) {
      parser.count(known.values)
      return known.item
    }
    const item = parser.parse(text)
    parsed.set(id, { item, values: countValues(item) })
    return item
  }
  const items = input.map((item) => {
    const text = isReference(item) ? texts.get(String(item.id)) : undefined
    if (text === undefined) return item
    const found = itemOf(String(item.id), text)
    // A reference that was stored because its item was not found.
    if (isReference(found)) return item
    stored.add(found)
    return found
  })
  return { items, stored }
}

/**
 * Replaces what a request refers to by the items themselves, so that any model can answer it, and no
 * provider has to store anything.
 * @param isStored whether the response is to be stored with the request's own items
 * @throws {Failure} `bad_request` or `body_too_large`
 */
export const expandReferences = (
  fields: Fields,
  { history, items: texts }: StoredContent,
  { isStored, newId }: { isStored: boolean; newId: () => string },
): ExpandedRequest => {
  const parser = new StoredItemParser()
  const { items, stored } = replaceReferences(toInputItems(fields.input), texts, parser)
  const storedItems = isStored ? serializeInput(items, newId) : null
  checkInput(fields.input ?? [])
  const earlier = withoutCompacted(history.map((text) => parser.parse(text)))
  const storedPositions = items.flatMap((item, at) =>
    stored.has(item) ? [earlier.length + at] : [],
  )
  const { previous_response_id: _previous, ...rest } = fields
  return {
    fields: { ...rest, input: [...earlier, ...items] },
    storedItems,
    storedPositions: [...earlier.keys(), ...storedPositions],
  }
}
