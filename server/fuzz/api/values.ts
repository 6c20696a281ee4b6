import type { Chooser } from "../../test/harness/random.ts"
import type { OpenApi, Schema } from "./document.ts"
import type { Ids } from "./ids.ts"

/** Below this depth, only required members are generated. */
const maxDepth = 6

/** Sources of functions that return immediately, that fail, and that are invalid. */
const functionSources = [
  "export const reply = () => 'hello'",
  "export async function* reply({ messages }) { yield 'You said: '; yield String(messages.at(-1)?.content) }",
  "export const reply = () => { throw new Error('no') }",
  "export const reply = () => { for (;;); }",
  "export const filter = { request: (request) => request }",
  "export const nothing = 1",
  "this is no program (",
]

const sentences = [
  "Hello",
  "What does the handbook say about travel?",
  "Grüße aus Zürich, 你好, Привет, مرحبا, 🦊",
  "a".repeat(2000),
  "line\nline\n\n# heading\n\n| a | b |\n|---|---|\n| 1 | 2 |",
]

interface Sources {
  random: Chooser
  ids: Ids
  components: OpenApi["components"]
  /** URLs for connections, all on this machine. */
  urls: readonly string[]
  models: readonly string[]
}

type Hint = (sources: Sources, noun: string) => unknown

const anId =
  (noun: string): Hint =>
  ({ ids }) =>
    ids.pick(noun)

const aModel: Hint = ({ random, ids, models }) =>
  random.chance(0.8) ? random.pick(models) : ids.pick("models")

/** Values by member name, regardless of the schema. */
const hintByName: Readonly<Record<string, Hint>> = {
  file_id: anId("files"),
  collection_id: anId("knowledge"),
  user_id: anId("users"),
  group_id: anId("groups"),
  key_id: anId("auths/api_keys"),
  message_id: anId("messages"),
  parent_id: anId("messages"),
  current_id: anId("messages"),
  continue_id: anId("messages"),
  model: aModel,
  base_model_id: aModel,
  email: ({ random }) => `${random.word(6)}@example.com`,
  userName: ({ random }) => `${random.word(6)}@example.com`,
  password: ({ random }) => `${random.word(12)} ${random.word(5)}`,
  url: ({ random, urls }) => random.pick(urls),
  base_url: ({ random, urls }) => random.pick(urls),
  principal_id: ({ random, ids }) => ids.pick(random.pick(["users", "groups"])),
  filter: ({ random }) =>
    random.pick([
      'userName eq "a@example.com"',
      "id pr",
      'not (displayName co "a")',
      "active eq true",
    ]),
  jwt_expires_in: () => "4w",
  // Keeps sign-in possible for the callers.
  password_sign_in: () => "on",
}

const typesOf = (schema: Schema): string[] =>
  [schema.type].flat().filter((type): type is string => typeof type === "string")

const numberIn = (schema: Schema, name: string, otherwise: number): number => {
  const value = schema[name]
  return typeof value === "number" ? value : otherwise
}

/** Generates values that are mostly valid for a schema. */
export const createValues = (sources: Sources) => {
  const { random, ids, components } = sources

  const resolve = (schema: Schema): Schema => {
    const name = typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined
    return name ? (components.schemas[name] ?? {}) : schema
  }

  const special = (schema: Schema, name: string, noun: string): string | undefined => {
    if (noun === "functions" && name === "content") return random.pick(functionSources)
    if (noun === "functions" && name === "id") return random.word(6)
    if (name === "id" && random.chance(0.5)) return ids.pick(noun)
    return schema.format === "email" ? `${random.word(6)}@example.com` : undefined
  }

  const text = (schema: Schema, name: string, noun: string): string => {
    const plain = random.chance(0.6) ? random.word(1 + random.below(12)) : random.pick(sentences)
    const least = numberIn(schema, "minLength", 0)
    const max = Math.max(least, numberIn(schema, "maxLength", 4000))
    return special(schema, name, noun) ?? plain.padEnd(least, "x").slice(0, max)
  }

  const number = (schema: Schema, isWhole: boolean): number => {
    const least = numberIn(schema, "minimum", numberIn(schema, "exclusiveMinimum", -5))
    const max = numberIn(schema, "maximum", Math.max(least + 1, 100))
    const value = least + random.below(1000) * ((max - least) / 1000)
    return isWhole ? Math.round(value) : value
  }

  const object = (schema: Schema, noun: string, depth: number): Record<string, unknown> => {
    const required = Array.isArray(schema.required) ? schema.required : []
    const properties = Object.entries((schema.properties ?? {}) as Record<string, Schema>)
    const chosen = properties.filter(
      ([name]) => required.includes(name) || (depth < maxDepth && random.chance(0.5)),
    )
    return Object.fromEntries(
      chosen.map(([name, inner]) => [name, make(inner, name, noun, depth + 1)]),
    )
  }

  const array = (schema: Schema, name: string, noun: string, depth: number): unknown[] => {
    const length = Math.max(numberIn(schema, "minItems", 0), random.below(4))
    const items = (schema.items ?? {}) as Schema
    const singular = name.replace(/s$/, "")
    return Array.from({ length }, () => make(items, singular, noun, depth + 1))
  }

  const make = (given: Schema, name: string, noun: string, depth: number): unknown => {
    const hint = hintByName[name]
    if (hint && random.chance(0.9)) return hint(sources, noun)
    const schema = resolve(given)
    if ("const" in schema) return schema.const
    if (Array.isArray(schema.enum)) return random.pick(schema.enum)
    const either = schema.anyOf ?? schema.oneOf
    if (Array.isArray(either)) return make(random.pick(either), name, noun, depth + 1)
    const types = typesOf(schema)
    const type = types.length > 0 ? random.pick(types) : "anything"
    const makers: Record<string, () => unknown> = {
      string: () => text(schema, name, noun),
      integer: () => number(schema, true),
      number: () => number(schema, false),
      boolean: () => random.chance(0.5),
      null: () => null,
      array: () => array(schema, name, noun, depth),
      object: () => object(schema, noun, depth),
      anything: () => random.pick<unknown>([null, 1, "text", true, [], {}, { a: [1] }]),
    }
    return makers[type]?.()
  }

  return {
    /** A value for the member or parameter `name` of a resource of type `noun`. */
    make: (schema: Schema, name: string, noun: string): unknown => make(schema, name, noun, 0),
  }
}

export type Values = ReturnType<typeof createValues>
