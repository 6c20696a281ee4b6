import type { catalogue, MessageId } from "../../../server/src/i18n/catalogue.ts"
import type { MessageReference, MessageValue } from "../../../server/src/i18n/message.ts"

/** A translation of each message; it may leave out values, but has no others. */
export type TranslationsOf<English> = { [Id in keyof English]: string | English[Id] }

/** Translations of all messages of the gateway. */
export type ServerMessages = TranslationsOf<typeof catalogue>

const isMessageId = (id: string, messages: ServerMessages): id is MessageId =>
  Object.hasOwn(messages, id)

const translateValue = (value: MessageValue, messages: ServerMessages): string | null =>
  typeof value === "object" ? translateMessage(value, messages) : String(value)

/** Null if there is no translation, such as of a message that an older gateway stored. */
export const translateMessage = (
  { id, values }: MessageReference,
  messages: ServerMessages,
): string | null => {
  if (!isMessageId(id, messages)) return null
  const translation = messages[id]
  if (typeof translation === "string") return translation
  const texts: Record<string, string> = {}
  for (const [name, value] of Object.entries(values)) {
    const text = translateValue(value, messages)
    if (text === null) return null
    texts[name] = text
  }
  // The gateway sends each message with the values that its catalogue declares.
  return (translation as (texts: Record<string, string>) => string)(texts)
}
