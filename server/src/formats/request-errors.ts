import { fail } from "../errors.ts"
import { type Fields, isObject } from "./json-values.ts"

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
