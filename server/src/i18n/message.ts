import { catalogue, type MessageId } from "./catalogue.ts"

/** Data that a message quotes, or a message that is part of its sentence. */
export type MessageValue = string | number | MessageReference

/** What a page needs to show a message in its language. */
export interface MessageReference {
  id: string
  values: Record<string, MessageValue>
}

/** A message with its English text. */
export interface TranslatableMessage extends MessageReference {
  text: string
}

/** A message, or a text that pages show in English. */
export type MessageOrText = TranslatableMessage | string

type ValuesOf<Id extends MessageId> = (typeof catalogue)[Id] extends (values: infer V) => string
  ? [values: Record<keyof V & string, MessageValue>]
  : []

type CreateMessage = <Id extends MessageId>(id: Id, ...values: ValuesOf<Id>) => TranslatableMessage

const textOfValue = (value: MessageValue): string =>
  typeof value === "object" ? englishText(value) : String(value)

const isMessageId = (id: string): id is MessageId => Object.hasOwn(catalogue, id)

const englishText = ({ id, values }: MessageReference): string => {
  const entry = isMessageId(id) ? catalogue[id] : id
  if (typeof entry === "string") return entry
  // `translatable` has checked the names of the values.
  const format = entry as (texts: Record<string, string>) => string
  return format(mapEntries(values, textOfValue))
}

const mapEntries = <From, To>(
  values: Record<string, From>,
  change: (value: From) => To,
): Record<string, To> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** The English text. */
export const toText = (message: MessageOrText): string =>
  typeof message === "string" ? message : message.text

/** Without the English text. */
export const referenceOf = ({ id, values }: MessageReference): MessageReference => ({ id, values })

/** What pages translate a message by; null if they show it in English. */
export const toReference = (message: MessageOrText | null): MessageReference | null =>
  typeof message === "object" && message !== null ? referenceOf(message) : null

export const withText = (reference: MessageReference): TranslatableMessage => ({
  ...reference,
  text: englishText(reference),
})

const withoutText = (value: MessageValue): MessageValue =>
  typeof value === "object" ? referenceOf(value) : value

/** The message `id` of the catalogue with what it quotes. */
export const translatable: CreateMessage = (
  id: MessageId,
  values: MessageReference["values"] = {},
) => withText({ id, values: mapEntries(values, withoutText) })

/** Changes the texts that a message quotes, such as to shorten them. */
export const mapQuotedTexts = (
  values: MessageReference["values"],
  change: (text: string) => string,
): MessageReference["values"] =>
  mapEntries(values, (value) => {
    if (typeof value === "string") return change(value)
    if (typeof value === "number") return value
    return { ...value, values: mapQuotedTexts(value.values, change) }
  })
