import { type AttributePath, findAttribute } from "./attribute-paths.ts"
import { failFilter } from "./errors.ts"
import { type FilterOperator, operatorsOf } from "./filter-operators.ts"
import type { FilterToken } from "./filter-tokenizer.ts"
import type { ScimAttribute } from "./resource-type.ts"

/** A filter operand: text as sent, a boolean, or a time in epoch ms. */
export type Operand = { text: string } | { truth: boolean } | { ms: number }

/** RFC 3339 with a time zone. */
const dateTimePattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/** Epoch milliseconds; finer fractions, which `Date` would truncate, add 0.5. */
export const parseDateTime = (text: string): number | undefined => {
  const [, second = "", fraction = "", zone = ""] = dateTimePattern.exec(text) ?? []
  const whole = Date.parse(`${second}${zone}`.toUpperCase())
  if (Number.isNaN(whole)) return undefined
  const digits = fraction.slice(1)
  const finer = /[1-9]/.test(digits.slice(3)) ? 0.5 : 0
  return whole + Number(digits.slice(0, 3).padEnd(3, "0")) + finer
}

const booleanByText = new Map([
  ["true", true],
  ["false", false],
])

/** Some providers send booleans as strings, in any case. */
export const parseBoolean = (value: unknown): boolean | undefined => {
  if (typeof value === "boolean") return value
  return typeof value === "string" ? booleanByText.get(value.toLowerCase()) : undefined
}

/** Resolves a multi-valued complex attribute to its `value` sub-attribute. */
const leafOf = ({ attribute, sub }: AttributePath): AttributePath & { leaf: ScimAttribute } => {
  if (sub) return { attribute, sub, leaf: sub }
  if (attribute.type !== "complex") return { attribute, leaf: attribute }
  const value = attribute.multiValued && findAttribute(attribute.subAttributes ?? [], "value")
  if (value) return { attribute, sub: value, leaf: value }
  return failFilter(`${attribute.name} is a complex attribute. Compare one of its sub-attributes.`)
}

const failOperand = ({ name }: ScimAttribute, expected: string): never =>
  failFilter(`Compare ${name} with ${expected}.`)

const parseLiteral = (token: FilterToken): string | boolean | null | undefined => {
  if (token.kind === "text") return token.text
  const word = token.kind === "word" ? token.text.toLowerCase() : ""
  return word === "null" ? null : booleanByText.get(word)
}

const toOperand = (leaf: ScimAttribute, value: string | boolean | undefined): Operand => {
  if (leaf.type === "boolean") {
    const truth = parseBoolean(value)
    return truth === undefined ? failOperand(leaf, "true or false") : { truth }
  }
  if (typeof value !== "string") return failOperand(leaf, "text in double quotes")
  if (leaf.type !== "dateTime") return { text: value }
  const ms = parseDateTime(value)
  return ms === undefined ? failOperand(leaf, `a time such as "2026-01-31T12:00:00Z"`) : { ms }
}

/**
 * Parses the value after an operator; null for `null`, which means "has no value".
 * @throws {ScimError} `invalidFilter` if the operator or the value does not fit the attribute
 */
export const parseOperand = (
  path: AttributePath,
  operator: FilterOperator,
  token: FilterToken,
): { leaf: AttributePath; operand: Operand | null } => {
  const value = parseLiteral(token)
  if (value === null && (operator === "eq" || operator === "ne"))
    return { leaf: path, operand: null }
  const { leaf, ...resolved } = leafOf(path)
  const { type } = leaf
  if (type === "complex" || !operatorsOf[type].includes(operator)) {
    failFilter(`Operator ${operator} does not apply to ${leaf.name} (type ${type}).`)
  }
  if (value === null) return failOperand(leaf, "a value, not null")
  return { leaf: resolved, operand: toOperand(leaf, value) }
}
