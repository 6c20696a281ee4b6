import { type Fields, isObject, objectsIn } from "./json-values.ts"

/** Whether a value is the content of a message: a text, or parts. */
export const isContent = (value: unknown): boolean =>
  typeof value === "string" || (Array.isArray(value) && value.every(isObject))

/** Where Anthropic's prompt cache may cut, if a block, tool or request says so. */
export const cacheControlOf = ({ cache_control }: Fields): Fields =>
  isObject(cache_control) ? { cache_control } : {}

/** The parts of a message's content, which may also be a text. */
export const partsOf = (content: unknown): Fields[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : objectsIn(content)

/** One text without anything else becomes a string, the form that every server accepts. */
export const toContent = (parts: readonly Fields[]): unknown => {
  const [only] = parts
  const isPlainText = parts.length === 1 && only?.type === "text" && !only.cache_control
  return isPlainText ? only.text : parts
}

/** A tool's message accepts only text, so its images and files follow in a message of the user. */
export const splitToolResult = (
  parts: readonly Fields[],
): { content: unknown; rest: readonly Fields[] } => {
  const texts = parts.filter(({ type }) => type === "text")
  const rest = parts.filter(({ type }) => type !== "text")
  const placeholder = rest.length > 0 ? "The result follows in the next message." : ""
  return { content: texts.length > 0 ? toContent(texts) : placeholder, rest }
}
