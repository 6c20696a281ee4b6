import { z } from "zod"

export type JsonSchema = Record<string, unknown>

/** Requests are described as they are sent, replies as they arrive. */
export type Direction = "input" | "output"

/** zod's own bounds of a safe integer tell a reader nothing. */
const withoutSafeBounds = (schema: JsonSchema): void => {
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}

/** Replies may gain fields: a client must not take the list for complete. */
const withoutClosure = (schema: JsonSchema): void => {
  if (schema.additionalProperties === false) delete schema.additionalProperties
}

const AnySchema = z.record(z.string(), z.unknown())
const Converted = z.object({
  properties: z.object({ root: AnySchema }),
  $defs: z.record(z.string(), AnySchema).default({}),
})

const reference = /"#\/\$defs\/(\w+)"/g
const referenceFrom = (direction: Direction): RegExp => new RegExp(`"#/${direction}/(\\w+)"`, "g")

/** Collects the schemas that have a name of their own (`.meta({ id })`). */
export const createComponents = () => {
  const textsOf = { input: new Map<string, string>(), output: new Map<string, string>() }

  /** Whether what is sent under this name is another thing than what is answered under it. */
  const differs = (id: string, seen = new Set<string>()): boolean => {
    const sent = textsOf.input.get(id)
    const answered = textsOf.output.get(id)
    if (sent === undefined || answered === undefined || seen.has(id)) return false
    seen.add(id)
    const inner = [...sent.matchAll(reference)].map(([, name = ""]) => name)
    return sent !== answered || inner.some((name) => differs(name, seen))
  }

  const finalName = (id: string, direction: Direction): string =>
    direction === "input" && differs(id) ? `${id}Input` : id

  const withFinalNames = (text: string, direction: Direction, from = reference): string =>
    text.replace(from, (_, id) => `"#/components/schemas/${finalName(id, direction)}"`)

  const schemas = (direction: Direction): [string, JsonSchema][] =>
    [...textsOf[direction]].map(([id, text]) => [
      finalName(id, direction),
      AnySchema.parse(JSON.parse(withFinalNames(text, direction))),
    ])

  return {
    /** The JSON Schema of `schema`; its references are right only after `complete`. */
    describe: (schema: z.ZodType, direction: Direction): JsonSchema => {
      const whole = z.toJSONSchema(z.object({ root: schema }), {
        io: direction,
        unrepresentable: "any",
        override: ({ jsonSchema }) => {
          withoutSafeBounds(jsonSchema)
          if (direction === "output") withoutClosure(jsonSchema)
        },
      })
      const { properties, $defs } = Converted.parse(whole)
      for (const [id, found] of Object.entries($defs)) {
        textsOf[direction].set(id, JSON.stringify(found))
      }
      const text = JSON.stringify(properties.root)
      return AnySchema.parse(JSON.parse(text.replace(reference, `"#/${direction}/$1"`)))
    },

    /** Puts the final names into all that refers to the schemas described so far. */
    complete: <T>(described: T): T => {
      const text = JSON.stringify(described)
      const sent = withFinalNames(text, "input", referenceFrom("input"))
      return JSON.parse(withFinalNames(sent, "output", referenceFrom("output")))
    },

    /** The named schemas, in the order of their names. */
    schemas: (): Record<string, JsonSchema> =>
      Object.fromEntries(
        [...schemas("input"), ...schemas("output")].sort(([a], [b]) => (a < b ? -1 : 1)),
      ),
  }
}

export type Components = ReturnType<typeof createComponents>
