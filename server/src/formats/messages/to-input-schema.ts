import { type Fields, isObject, objectsIn, textOf } from "../json-values.ts"
import { describeKeywords, toStructuredSchema } from "./structured-output-schema.ts"

const compositions = ["oneOf", "anyOf", "allOf"]

const reference = /^#\/(\$defs|definitions)\/([^/]+)$/

/** The schema that a reference within the same document names. */
const resolveReference = (schema: Fields, root: Fields): Fields => {
  const [, list = "", name = ""] = reference.exec(textOf(schema.$ref)) ?? []
  const definitions = root[list]
  const found = isObject(definitions) ? definitions[name] : undefined
  return isObject(found) ? found : schema
}

const propertiesOf = ({ properties }: Fields): [string, unknown][] =>
  isObject(properties) ? Object.entries(properties) : []

const requiredIn = (schemas: readonly Fields[]): unknown[] => [
  ...new Set(schemas.flatMap(({ required }) => (Array.isArray(required) ? required : []))),
]

/**
 * Replaces compositions at the top level, which the API refuses there: all their properties remain,
 * and the description says what they demand.
 */
const withoutComposition = (schema: Fields): Fields => {
  const entries = Object.entries(schema)
  const removed = entries.filter(([name]) => compositions.includes(name))
  if (removed.length === 0) return schema
  const branchesOf = (value: unknown): Fields[] =>
    objectsIn(value).map((branch) => resolveReference(branch, schema))
  const branches = removed.flatMap(([, value]) => branchesOf(value))
  const required = requiredIn([schema, ...branchesOf(schema.allOf)])
  const description = [schema.description, describeKeywords(removed)].filter(Boolean).join("\n\n")
  return {
    ...Object.fromEntries(entries.filter(([name]) => !compositions.includes(name))),
    description,
    properties: Object.fromEntries([...branches, schema].flatMap(propertiesOf)),
    ...(required.length > 0 && { required }),
  }
}

/**
 * The schema of a tool's input for Anthropic's API, which demands an object.
 * @throws {Failure} `bad_request` if a strict one is nested too deeply
 */
export const toInputSchema = (parameters: unknown, isStrict: boolean): unknown => {
  const given = isObject(parameters) ? withoutComposition(parameters) : {}
  const isTyped = "type" in given
  const schema = { ...(isTyped ? {} : { properties: {} }), ...given, type: "object" }
  return isStrict ? toStructuredSchema(schema) : schema
}
