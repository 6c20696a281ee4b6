import { foldCase } from "../db/fold-case.ts"
import { isObject } from "../formats/json-values.ts"
import type { AttributePath } from "./attribute-paths.ts"
import type { Attribute } from "./attributes.ts"
import type { Filter } from "./filter.ts"
import { type Operand, readBoolean, readDate } from "./operands.ts"
import { type Operator, textOperators, timeTest } from "./operators.ts"

type Json = Record<string, unknown>

const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The values at a path: one, possibly undefined, or all values of a list. */
const valuesAt = ({ attribute, sub }: AttributePath, json: Json): unknown[] => {
  const value = json[attribute.name]
  const found = attribute.multiValued ? itemsOf(value) : [value]
  if (!sub) return found
  return found.map((item) => (isObject(item) ? item[sub.name] : undefined))
}

const isPresent = (value: unknown): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== null

const passes = (
  leaf: Attribute,
  { operator, operand }: { operator: Operator; operand: Operand },
  value: unknown,
): boolean => {
  if (!isPresent(value)) return operator === "ne"
  if ("text" in operand) {
    const text = leaf.caseExact ? String(value) : foldCase(String(value))
    return textOperators[operator].test(text, operand.text)
  }
  if ("ms" in operand) {
    return timeTest(operator, (readDate(String(value)) ?? Number.NaN) - operand.ms)
  }
  return (readBoolean(value) === operand.truth) === (operator === "eq")
}

/** Evaluates a filter on a resource or one list value in memory; equivalent to the compiled SQL. */
export const matches = (filter: Filter, json: Json): boolean => {
  switch (filter.kind) {
    case "and":
      return matches(filter.left, json) && matches(filter.right, json)
    case "or":
      return matches(filter.left, json) || matches(filter.right, json)
    case "not":
      return !matches(filter.of, json)
    case "present":
      return valuesAt(filter.path, json).some(isPresent)
    case "test": {
      const leaf = filter.path.sub ?? filter.path.attribute
      return valuesAt(filter.path, json).some((value) => passes(leaf, filter, value))
    }
    case "element": {
      const { attribute, of } = filter
      const value = json[attribute.name]
      const items = attribute.multiValued ? itemsOf(value) : [value ?? {}]
      return items.some((item) => isObject(item) && matches(of, item))
    }
  }
}
