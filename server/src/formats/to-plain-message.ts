import { type Fields, isObject, objectsIn, textOf } from "./json-values.ts"

const joinTexts = (parts: readonly Fields[], textIn: (part: Fields) => unknown): string =>
  parts.map((part) => textOf(textIn(part))).join("")

const thinkingIn = ({ thinking }: Fields): string =>
  textOf(thinking) || joinTexts(objectsIn(thinking), ({ text }) => text)

/**
 * A message of an answer, or a delta of one, whose content is a text. Some servers have parts in its
 * place, such as Mistral, whose models' reasoning is a part of type `thinking`.
 */
export const toPlainMessage = (message: Fields): Fields => {
  if (typeof message.content === "string" || !Array.isArray(message.content)) return message
  const parts = message.content.map((part) => (isObject(part) ? part : { text: part }))
  const reasoning = joinTexts(parts, thinkingIn)
  const refusal = joinTexts(parts, (part) => part.refusal)
  return {
    ...message,
    content: joinTexts(parts, ({ text }) => text),
    ...(reasoning !== "" && { reasoning_content: reasoning }),
    ...(refusal !== "" && { refusal }),
  }
}
