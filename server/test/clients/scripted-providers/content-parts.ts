import { type Json, type JsonObject, listOf, objectOf, textOf } from "../../fakes/json.ts"

/** The parts of a message's content, which may also be a string. */
export const partsOf = (content: Json | undefined): JsonObject[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : listOf(content).map(objectOf)

/** The parts of all messages of the user. */
export const userPartsOf = (messages: readonly JsonObject[]): JsonObject[] =>
  messages.filter(({ role }) => role === "user").flatMap(({ content }) => partsOf(content))

export const textsOf = (parts: readonly JsonObject[]): string =>
  parts.map(({ text }) => textOf(text)).join("\n")
