import { foldCase } from "../db/fold-case.ts"
import { type AttributePath, attributeNamed } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import { refuse } from "./errors.ts"
import type { Token } from "./filter-tokenizer.ts"
import { type Operator, operatorsOf } from "./operators.ts"

/**
 * A filter operand: text (case-folded unless the attribute is caseExact), a boolean, or a time in
 * epoch ms.
 */
export type Operand = { text: string } | { truth: boolean } | { ms: number }

/** RFC 3339 with a time zone. */
const dateForm = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/**
 * Epoch milliseconds. Finer fractions add 0.5, so that they compare as between two milliseconds;
 * `Date` would truncate them.
 */
export const readDate = (text: string): number | undefined => {
  const [, second = "", fraction = "", zone = ""] = dateForm.exec(text) ?? []
  const whole = Date.parse(`${second}${zone}`.toUpperCase())
  if (Number.isNaN(whole)) return undefined
  const digits = fraction.slice(1)
  const finer = /[1-9]/.test(digits.slice(3)) ? 0.5 : 0
  return whole + Number(digits.slice(0, 3).padEnd(3, "0")) + finer
}

const truths = new Map([
  ["true", true],
  ["false", false],
])

/** Some providers send booleans as strings, in any case. */
export const readBoolean = (value: unknown): boolean | undefined => {
  if (typeof value === "boolean") return value
  return typeof value === "string" ? truths.get(value.toLowerCase()) : undefined
}

/** Resolves a multi-valued complex attribute to its `value` sub-attribute. */
const leafOf = ({ attribute, sub }: AttributePath): AttributePath & { leaf: Attribute } => {
  if (sub) return { attribute, sub, leaf: sub }
  if (attribute.type !== "complex") return { attribute, leaf: attribute }
  const value = attribute.multiValued && attributeNamed(attribute.subAttributes ?? [], "value")
  if (value) return { attribute, sub: value, leaf: value }
  return refuse(
    "invalidFilter",
    `${attribute.name} is a complex attribute. Compare one of its sub-attributes.`,
  )
}

const wrongValue = ({ name }: Attribute, wanted: string): never =>
  refuse("invalidFilter", `Compare ${name} with ${wanted}.`)

const literal = (token: Token): string | boolean | null | undefined => {
  if (token.kind === "text") return token.text
  const word = token.kind === "word" ? token.text.toLowerCase() : ""
  return word === "null" ? null : truths.get(word)
}

const convert = (leaf: Attribute, value: string | boolean | undefined): Operand => {
  if (leaf.type === "boolean") {
    const truth = readBoolean(value)
    return truth === undefined ? wrongValue(leaf, "true or false") : { truth }
  }
  if (typeof value !== "string") return wrongValue(leaf, "text in double quotes")
  if (leaf.type !== "dateTime") return { text: leaf.caseExact ? value : foldCase(value) }
  const ms = readDate(value)
  return ms === undefined ? wrongValue(leaf, `a time such as "2026-01-31T12:00:00Z"`) : { ms }
}

/**
 * Parses the value after an operator; null for `null`, which means "has no value".
 * @throws {Failure} `invalidFilter` if the operator or the value does not fit the attribute
 */
export const operandOf = (
  path: AttributePath,
  operator: Operator,
  token: Token,
): { leaf: AttributePath; operand: Operand | null } => {
  const value = literal(token)
  if (value === null && (operator === "eq" || operator === "ne"))
    return { leaf: path, operand: null }
  const { leaf, ...resolved } = leafOf(path)
  const { type } = leaf
  if (type === "complex" || !operatorsOf[type].includes(operator)) {
    refuse("invalidFilter", `Operator ${operator} does not apply to ${leaf.name} (type ${type}).`)
  }
  if (value === null) return wrongValue(leaf, "a value, not null")
  return { leaf: resolved, operand: convert(leaf, value) }
}
