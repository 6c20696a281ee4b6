import { Failure } from "../errors.ts"

/** Upper bounds for a JSON text. */
export interface JsonLimits {
  maxDepth: number
  /** Objects, arrays and scalars, at every level. */
  maxValues: number
  /** Members of the top-level object. */
  maxMembers: number
  /** Members of any other object; unlimited by default. An object costs far more than an array. */
  maxNestedMembers?: number
}

export const nestingTooDeep = (maxDepth: number): Failure =>
  new Failure("invalid_json", `The body is nested too deeply (maximum ${maxDepth} levels).`)

export const tooManyValues = ({ maxValues }: JsonLimits): Failure =>
  new Failure("body_too_large", `The body has too many values (maximum ${maxValues}).`)

export const tooManyNestedMembers = (max: number): Failure =>
  new Failure("body_too_large", `An object in the body has too many fields (maximum ${max}).`)

export const tooManyMembers = ({ maxMembers }: Pick<JsonLimits, "maxMembers">): Failure =>
  new Failure("bad_request", `The body has too many top-level fields (maximum ${maxMembers}).`)
