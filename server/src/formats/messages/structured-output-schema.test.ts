import { describe, expect, it } from "vitest"
import type { Fields } from "../json-values.ts"
import { toStructuredSchema } from "./structured-output-schema.ts"

const closed = { type: "object", additionalProperties: false }
const integer = { type: "integer" }

const nest = (levels: number): Fields => {
  let schema: Fields = { type: "string", minLength: 1 }
  for (let level = 0; level < levels; level++) schema = { type: "array", items: schema }
  return schema
}

describe("a JSON schema for structured output of Anthropic's API", () => {
  it.each<[string, Fields, Fields]>([
    [
      "bounds",
      { type: "integer", minimum: 1, maximum: 10 },
      { type: "integer", description: "minimum: 1, maximum: 10" },
    ],
    [
      "bounds after a description",
      { type: "number", description: "A score.", exclusiveMinimum: 0, multipleOf: 0.5 },
      { type: "number", description: "A score.\n\nexclusiveMinimum: 0, multipleOf: 0.5" },
    ],
    [
      "lengths and patterns",
      { type: "string", minLength: 2, maxLength: 5, pattern: "^a" },
      { type: "string", description: 'minLength: 2, maxLength: 5, pattern: "^a"' },
    ],
    [
      "numbers of items",
      { type: "array", items: { type: "string", minLength: 2 }, minItems: 3, maxItems: 5 },
      {
        ...{ type: "array", items: { type: "string", description: "minLength: 2" } },
        description: "minItems: 3, maxItems: 5",
      },
    ],
    ["one item at least", { type: "array", minItems: 1 }, { type: "array", minItems: 1 }],
    [
      "unknown formats",
      { type: "string", format: "phone" },
      { type: "string", description: 'format: "phone"' },
    ],
    ["known formats", { type: "string", format: "date" }, { type: "string", format: "date" }],
    [
      "open objects",
      { type: "object", properties: { a: { type: "object" } }, additionalProperties: true },
      { ...closed, properties: { a: closed } },
    ],
    [
      "maps",
      { type: "object", additionalProperties: { type: "string" } },
      { ...closed, description: 'additionalProperties: {"type":"string"}' },
    ],
    [
      "objects without a type",
      { properties: { a: integer } },
      { ...closed, properties: { a: integer } },
    ],
    ["types with null", { type: ["object", "null"] }, { ...closed, type: ["object", "null"] }],
    [
      "alternatives",
      { oneOf: [integer, { minimum: 1 }] },
      { anyOf: [integer, { description: "minimum: 1" }] },
    ],
    [
      "definitions",
      { $ref: "#/$defs/a", description: "x", $defs: { a: { type: "integer", minimum: 1 } } },
      { $ref: "#/$defs/a", $defs: { a: { type: "integer", description: "minimum: 1" } } },
    ],
    ["enumerations of objects", { enum: [{ a: 1 }] }, { description: 'enum: [{"a":1}]' }],
    ["dialects", { $schema: "x", $id: "y", ...integer }, integer],
    [
      "properties with names of keywords",
      { type: "object", properties: { minimum: integer, constructor: { not: {} } } },
      { ...closed, properties: { minimum: integer, constructor: { description: "not: {}" } } },
    ],
  ])("keeps %s in a form that is accepted", (_what, schema, expected) => {
    expect(toStructuredSchema(schema)).toEqual(expected)
    expect(toStructuredSchema(expected), "which needs no change").toEqual(expected)
  })

  it("has a maximum depth", () => {
    expect(toStructuredSchema(nest(100))).toMatchObject({ type: "array" })
    expect(() => toStructuredSchema(nest(101))).toThrow(/100 levels/)
  })

  it("is converted in linear time", () => {
    const measure = (count: number): number => {
      const names = Array.from({ length: count }, (_, at) => `p${at}`)
      const properties = Object.fromEntries(names.map((name) => [name, nest(20)]))
      const startedAt = performance.now()
      toStructuredSchema({ type: "object", properties })
      return performance.now() - startedAt
    }
    /** The shortest of three times, as others use the machine too. */
    const timeOf = (count: number): number => Math.min(...[1, 2, 3].map(() => measure(count)))
    // Squares would take 64 times as long.
    expect(timeOf(8000)).toBeLessThan(Math.max(timeOf(1000), 20) * 40)
  })
})
