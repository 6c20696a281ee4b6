import type { AttributePath } from "./attribute-paths.ts"
import { type Operand, parseBoolean, parseDateTime } from "./filter-operands.ts"
import { type FilterOperator, testTime, textOperatorOf } from "./filter-operators.ts"
import type { Filter } from "./filter-parser.ts"
import { foldCase } from "./fold-case.ts"
import { isObject, type ScimJson } from "./json-values.ts"
import type { ScimAttribute } from "./resource-type.ts"

const itemsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The values at a path: one, possibly undefined, or all values of a list. */
const valuesAt = ({ attribute, sub }: AttributePath, json: ScimJson): unknown[] => {
  const value = json[attribute.name]
  const found = attribute.multiValued ? itemsOf(value) : [value]
  if (!sub) return found
  return found.map((item) => (isObject(item) ? item[sub.name] : undefined))
}

const hasValue = (value: unknown): boolean =>
  isObject(value) ? Object.keys(value).length > 0 : value !== undefined && value !== null

const passesTest = (
  leaf: ScimAttribute,
  { operator, operand }: { operator: FilterOperator; operand: Operand },
  value: unknown,
): boolean => {
  if (!hasValue(value)) return operator === "ne"
  if ("text" in operand) {
    const fold = leaf.caseExact ? String : foldCase
    return textOperatorOf(operator).test(fold(String(value)), fold(operand.text))
  }
  if ("ms" in operand) {
    return testTime(operator, (parseDateTime(String(value)) ?? Number.NaN) - operand.ms)
  }
  return (parseBoolean(value) === operand.truth) === (operator === "eq")
}

/** Evaluates a filter on a resource or one list value in memory; equivalent to the compiled SQL. */
export const matchesFilter = (filter: Filter, json: ScimJson): boolean => {
  switch (filter.kind) {
    case "and":
      return matchesFilter(filter.left, json) && matchesFilter(filter.right, json)
    case "or":
      return matchesFilter(filter.left, json) || matchesFilter(filter.right, json)
    case "not":
      return !matchesFilter(filter.of, json)
    case "present":
      return valuesAt(filter.path, json).some(hasValue)
    case "test": {
      const leaf = filter.path.sub ?? filter.path.attribute
      return valuesAt(filter.path, json).some((value) => passesTest(leaf, filter, value))
    }
    case "element": {
      const { attribute, of } = filter
      const value = json[attribute.name]
      const items = attribute.multiValued ? itemsOf(value) : [value ?? {}]
      return items.some((item) => isObject(item) && matchesFilter(of, item))
    }
  }
}
