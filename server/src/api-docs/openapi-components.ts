import { z } from "zod"

export type JsonSchema = Record<string, unknown>

/** Request schemas describe the input, response schemas the output of zod transforms. */
export type SchemaDirection = "input" | "output"

/** zod adds the bounds of safe integers, which are noise to a reader. */
const removeSafeIntegerBounds = (schema: JsonSchema): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Responses may gain fields, so clients must not treat the schema as closed. */
const allowAdditionalProperties = (schema: JsonSchema): void => {
  if (schema.additionalProperties === false) delete schema.additionalProperties
}

const AnySchema = z.record(z.string(), z.unknown())
const Converted = z.object({
  properties: z.object({ root: AnySchema }),
  $defs: z.record(z.string(), AnySchema).default({}),
})

const reference = /"#\/\$defs\/(\w+)"/g
const referenceFrom = (direction: SchemaDirection): RegExp =>
  new RegExp(`"#/${direction}/(\\w+)"`, "g")

/** Collects named schemas (`.meta({ id })`). */
export const createSchemaComponents = () => {
  const textsOf = { input: new Map<string, string>(), output: new Map<string, string>() }

  /** Whether the input and output schemas with this id differ. */
  const differs = (id: string, seen = new Set<string>()): boolean => {
    const sent = textsOf.input.get(id)
    const answered = textsOf.output.get(id)
    if (sent === undefined || answered === undefined || seen.has(id)) return false
    seen.add(id)
    const inner = [...sent.matchAll(reference)].map(([, name = ""]) => name)
    return sent !== answered || inner.some((name) => differs(name, seen))
  }

  const finalName = (id: string, direction: SchemaDirection): string =>
    direction === "input" && differs(id) ? `${id}Input` : id

  const withFinalNames = (text: string, direction: SchemaDirection, from = reference): string =>
    text.replace(from, (_, id) => `"#/components/schemas/${finalName(id, direction)}"`)

  const schemas = (direction: SchemaDirection): [string, JsonSchema][] =>
    [...textsOf[direction]].map(([id, text]) => [
      finalName(id, direction),
      AnySchema.parse(JSON.parse(withFinalNames(text, direction))),
    ])

  return {
    /** The JSON Schema of `schema`; its references are valid only after `complete`. */
    describe: (schema: z.ZodType, direction: SchemaDirection): JsonSchema => {
      const whole = z.toJSONSchema(z.object({ root: schema }), {
        io: direction,
        unrepresentable: "any",
        override: ({ jsonSchema }) => {
          removeSafeIntegerBounds(jsonSchema)
          if (direction === "output") allowAdditionalProperties(jsonSchema)
        },
      })
      const { properties, $defs } = Converted.parse(whole)
      for (const [id, found] of Object.entries($defs)) {
        textsOf[direction].set(id, JSON.stringify(found))
      }
      const text = JSON.stringify(properties.root)
      return AnySchema.parse(JSON.parse(text.replace(reference, `"#/${direction}/$1"`)))
    },

    /** Replaces the references of the schemas described so far with their final names. */
    complete: <T>(described: T): T => {
      const text = JSON.stringify(described)
      const sent = withFinalNames(text, "input", referenceFrom("input"))
      return JSON.parse(withFinalNames(sent, "output", referenceFrom("output")))
    },

    /** The named schemas, sorted by name. */
    schemas: (): Record<string, JsonSchema> =>
      Object.fromEntries(
        [...schemas("input"), ...schemas("output")].sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  }
}

export type SchemaComponents = ReturnType<typeof createSchemaComponents>
