import { type Fields, objectsIn } from "../json-values.ts"

/** The items of a request's `input`, which may also be a text. */
export const toInputItems = (input: unknown): Fields[] => {
  if (typeof input !== "string") return objectsIn(input)
  const content = [{ type: "input_text", text: input }]
  return [{ type: "message", role: "user", content }]
}
