import type { Filter as Foreign } from "scim2-parse-filter"
import type { Filter } from "../../src/scim/filter.ts"

/** A mulberry32 generator of numbers from 0 to 1; the same seed repeats the sequence. */
const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

export const createChooser = (seed: number) => {
  const random = createRandom(seed)
  const below = (limit: number): number => Math.floor(random() * limit)
  const pick = <T>(items: readonly [T, ...T[]]): T => items[below(items.length)] ?? items[0]
  return { random, below, pick }
}
type Chooser = ReturnType<typeof createChooser>

export const texts = [
  "",
  "a",
  "A",
  "ß",
  "ss",
  "É",
  "e\u0301",
  "%",
  "_",
  "\\",
  "a%",
  "Σ",
  "ς",
  "😀",
  "İ",
  "ann",
  "x-1",
  "X-1",
  "work",
  "home",
  "a@b.co",
  "'",
  '"',
] as const

const names = [
  "userName",
  "displayName",
  "nickName",
  "externalId",
  "id",
  "name.givenName",
  "name.familyName",
  "emails",
  "emails.value",
  "emails.type",
  "emails.display",
  "groups.display",
  "title",
  "phoneNumbers.value",
  "meta.location",
  "meta.resourceType",
  "USERNAME",
  "urn:ietf:params:scim:schemas:core:2.0:User:displayName",
] as const
const parts = ["value", "type", "display"] as const
const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const
const orders = ["eq", "ne", "gt", "ge", "lt", "le"] as const
const times = [
  "2023-11-14T22:13:20Z",
  "2023-11-14T22:13:21.5Z",
  "2023-11-15T00:13:25+02:00",
  "1970-01-01T00:00:00Z",
] as const

const simple = ({ pick, below }: Chooser, of: readonly [string, ...string[]]): string => {
  if (below(6) === 0) return `${pick(of)} pr`
  if (below(15) === 0) return `${pick(of)} ${pick(["eq", "ne"])} null`
  return `${pick(of)} ${pick(operators)} ${JSON.stringify(pick(texts))}`
}

export const term = (chooser: Chooser): string => {
  const { pick, below } = chooser
  switch (below(8)) {
    case 0:
      return `active ${pick(["eq", "ne"])} ${pick(["true", "false", '"True"'])}`
    case 1:
      return `meta.created ${pick(orders)} "${pick(times)}"`
    case 2:
      return `emails[${filterOf(chooser, 1, (inner) => simple(inner, parts))}]`
    case 3:
      return `${pick(["emails.primary", "emails"])} pr`
    case 4:
      return `emails[primary eq ${pick(["true", "false"])}].value ${pick(operators)} "a"`
    default:
      return simple(chooser, names)
  }
}

export const filterOf = (
  chooser: Chooser,
  depth: number,
  leaf: (chooser: Chooser) => string,
): string => {
  const inner = (): string => filterOf(chooser, depth - 1, leaf)
  const kind = depth <= 0 ? 9 : chooser.below(6)
  if (kind === 0) return `${inner()} and ${inner()}`
  if (kind === 1) return `${inner()} or ${inner()}`
  if (kind === 2) return `not (${inner()})`
  if (kind === 3) return `(${inner()})`
  return leaf(chooser)
}

/** The structure of a filter without its values; equal for equivalent filters. */
const chain = (kind: "and" | "or", parts: readonly string[]): string => `${kind}(${parts.join()})`

const flat = (kind: "and" | "or", filter: Filter): string[] =>
  filter.kind === kind
    ? [...flat(kind, filter.left), ...flat(kind, filter.right)]
    : [ownSkeleton(filter)]

export const ownSkeleton = (filter: Filter): string => {
  switch (filter.kind) {
    case "and":
    case "or":
      return chain(filter.kind, flat(filter.kind, filter))
    case "not":
      return `not(${ownSkeleton(filter.of)})`
    case "element":
      return `[${ownSkeleton(filter.of)}]`
    case "present":
      return "pr"
    case "test":
      return filter.operator
  }
}

const foreignFlat = (kind: "and" | "or", filters: readonly Foreign[]): string[] =>
  filters.flatMap((inner) =>
    inner.op === kind ? foreignFlat(kind, inner.filters) : [foreignSkeleton(inner)],
  )

export const foreignSkeleton = (filter: Foreign): string => {
  switch (filter.op) {
    case "and":
    case "or":
      return chain(filter.op, foreignFlat(filter.op, filter.filters))
    case "not":
      return `not(${foreignSkeleton(filter.filter)})`
    case "[]":
      return `[${foreignSkeleton(filter.valFilter)}]`
    case "pr":
      return "pr"
    default:
      if (filter.compValue !== null) return filter.op
      return filter.op === "ne" ? "pr" : "not(pr)"
  }
}
