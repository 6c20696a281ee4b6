import { type Fields, isObject } from "../json-values.ts"

/** OpenAI's limit. */
const maxDepth = 10

const plainKeywords = new Set([
  ...["type", "title", "description", "enum", "const", "format", "pattern", "multipleOf"],
  ...["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minItems", "maxItems"],
  ...["required", "additionalProperties", "properties", "items", "anyOf"],
  ...["$ref", "$defs", "definitions", "$schema", "$id"],
])
const formats = new Set<unknown>([
  ...["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"],
])

const valuesOf = (map: unknown): unknown[] => (isObject(map) ? Object.values(map) : [])

const innerSchemas = ({ properties, items, anyOf, $defs, definitions }: Fields): unknown[] => [
  ...[properties, $defs, definitions].flatMap(valuesOf),
  ...(Array.isArray(anyOf) ? anyOf : []),
  ...(items === undefined ? [] : [items]),
]

const isClosed = ({ properties, required, additionalProperties }: Fields): boolean => {
  const names = new Set<unknown>(Array.isArray(required) ? required : [])
  const declared = isObject(properties) ? Object.keys(properties) : []
  return additionalProperties === false && declared.every((name) => names.has(name))
}

const isObjectSchema = ({ type, properties }: Fields): boolean =>
  type === "object" || (Array.isArray(type) && type.includes("object")) || properties !== undefined

const hasKnownKeywords = (schema: Fields): boolean =>
  Object.keys(schema).every((name) => plainKeywords.has(name)) &&
  (schema.format === undefined || formats.has(schema.format))

const isAccepted = (schema: unknown, depth: number): boolean => {
  if (!isObject(schema) || depth > maxDepth) return false
  if ("$ref" in schema) return Object.keys(schema).length === 1
  const isTyped = ["type", "anyOf", "enum", "const"].some((name) => name in schema)
  if (!(isTyped && hasKnownKeywords(schema))) return false
  if (isObjectSchema(schema) && !isClosed(schema)) return false
  return innerSchemas(schema).every((inner) => isAccepted(inner, depth + 1))
}

/**
 * Whether OpenAI's API accepts a schema in its strict mode, where objects are closed and all of
 * their properties required. Anthropic's API accepts more, such as optional properties.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export const isStrictSchema = (schema: Fields): boolean =>
  schema.type === "object" && !("anyOf" in schema) && isAccepted(schema, 0)
