import type { Filter as ReferenceFilter } from "scim2-parse-filter"
import type { Filter } from "../src/filter-parser.ts"

/** Makes random choices. */
export interface Chooser {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
}

export const sampleTexts = [
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
const subAttributes = ["value", "type", "display"] as const
const operators = ["eq", "ne", "co", "sw", "ew", "gt", "ge", "lt", "le"] as const
const orderingOperators = ["eq", "ne", "gt", "ge", "lt", "le"] as const
const times = [
  "2023-11-14T22:13:20Z",
  "2023-11-14T22:13:21.5Z",
  "2023-11-15T00:13:25+02:00",
  "1970-01-01T00:00:00Z",
] as const

const generateComparison = ({ pick, below }: Chooser, attributes: readonly string[]): string => {
  if (below(6) === 0) return `${pick(attributes)} pr`
  if (below(15) === 0) return `${pick(attributes)} ${pick(["eq", "ne"])} null`
  return `${pick(attributes)} ${pick(operators)} ${JSON.stringify(pick(sampleTexts))}`
}

export const generateTerm = (chooser: Chooser): string => {
  const { pick, below } = chooser
  switch (below(8)) {
    case 0:
      return `active ${pick(["eq", "ne"])} ${pick(["true", "false", '"True"'])}`
    case 1:
      return `meta.created ${pick(orderingOperators)} "${pick(times)}"`
    case 2:
      return `emails[${generateFilter(chooser, 1, (inner) => generateComparison(inner, subAttributes))}]`
    case 3:
      return `${pick(["emails.primary", "emails"])} pr`
    case 4:
      return `emails[primary eq ${pick(["true", "false"])}].value ${pick(operators)} "a"`
    default:
      return generateComparison(chooser, names)
  }
}

export const generateFilter = (
  chooser: Chooser,
  depth: number,
  generateLeaf: (chooser: Chooser) => string,
): string => {
  const inner = (): string => generateFilter(chooser, depth - 1, generateLeaf)
  const kind = depth <= 0 ? 9 : chooser.below(6)
  if (kind === 0) return `${inner()} and ${inner()}`
  if (kind === 1) return `${inner()} or ${inner()}`
  if (kind === 2) return `not (${inner()})`
  if (kind === 3) return `(${inner()})`
  return generateLeaf(chooser)
}

/** The structure of a filter without its values; equal for equivalent filters. */
const joinStructures = (kind: "and" | "or", subAttributes: readonly string[]): string =>
  `${kind}(${subAttributes.join()})`

const flattenOperands = (kind: "and" | "or", filter: Filter): string[] =>
  filter.kind === kind
    ? [...flattenOperands(kind, filter.left), ...flattenOperands(kind, filter.right)]
    : [filterStructure(filter)]

export const filterStructure = (filter: Filter): string => {
  switch (filter.kind) {
    case "and":
    case "or":
      return joinStructures(filter.kind, flattenOperands(filter.kind, filter))
    case "not":
      return `not(${filterStructure(filter.of)})`
    case "element":
      return `[${filterStructure(filter.of)}]`
    case "present":
      return "pr"
    case "test":
      return filter.operator
  }
}

const flattenReferenceOperands = (
  kind: "and" | "or",
  filters: readonly ReferenceFilter[],
): string[] =>
  filters.flatMap((inner) =>
    inner.op === kind ? flattenReferenceOperands(kind, inner.filters) : [referenceStructure(inner)],
  )

export const referenceStructure = (filter: ReferenceFilter): string => {
  switch (filter.op) {
    case "and":
    case "or":
      return joinStructures(filter.op, flattenReferenceOperands(filter.op, filter.filters))
    case "not":
      return `not(${referenceStructure(filter.filter)})`
    case "[]":
      return `[${referenceStructure(filter.valFilter)}]`
    case "pr":
      return "pr"
    default:
      if (filter.compValue !== null) return filter.op
      return filter.op === "ne" ? "pr" : "not(pr)"
  }
}
