import { fail } from "../errors.ts"
import { type Fields, isObject, objectsIn } from "./json-values.ts"

/** Refuses what no provider without this format has. @param param the request's field */
export const failUnsupported = (what: string, param: string): never =>
  fail("unsupported_by_model", `This model does not support ${what}.`, { param })

/** @param name the path of the value, from the root of the request's body */
export const failWrongType = (name: string, expected: string): never =>
  fail("bad_request", `"${name}" must be ${expected}.`, { param: name.replace(/\[.*/, "") })

/** Refuses values of other types for members that are objects, if the request has them. */
export const checkObjects = (body: Fields, names: readonly string[]): void => {
  for (const name of names) if (!isObject(body[name] ?? {})) failWrongType(name, "an object")
}

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

/** The members that have a value. */
export const omitUndefined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
