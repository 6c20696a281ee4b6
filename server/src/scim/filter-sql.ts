import { type RawBuilder, sql } from "kysely"
import { foldCase } from "../db/fold-case.ts"
import type { AttributePath } from "./attribute-paths.ts"
import type { Attribute, Column } from "./attributes.ts"
import type { Filter } from "./filter.ts"
import type { Operand } from "./operands.ts"
import {
  always,
  isNot,
  never,
  type Operator,
  textCondition,
  textOperators,
  timeCondition,
} from "./operators.ts"
import { isKept, type ResourceType } from "./resource-types.ts"

type Condition = RawBuilder<boolean>

interface Place {
  type: ResourceType
  /** Base URL of `meta.location` and `$ref`. */
  base: string
}

/** SQL expression of a non-constant column. */
export const columnExpression = (
  column: Exclude<Column, { constant: string }>,
  base: string,
): RawBuilder<unknown> =>
  typeof column === "string"
    ? sql.ref(column)
    : sql`(cast(${`${base}/${column.endpoint}/`} as text) || ${sql.ref(column.id)})`

const constantCondition = (
  { caseExact }: Attribute,
  { constant }: { constant: string },
  { operator, text }: { operator: Operator; text: string },
): Condition =>
  textOperators[operator].test(caseExact ? constant : foldCase(constant), text) ? always : never

const isConstant = (column: Column): column is { constant: string } =>
  typeof column === "object" && "constant" in column

const columnCondition = (
  expression: RawBuilder<unknown>,
  { operator, operand, exact }: { operator: Operator; operand: Operand; exact: boolean },
): Condition => {
  if ("text" in operand) {
    return textCondition(expression, { operator, text: operand.text, exact })
  }
  if ("ms" in operand) return timeCondition(expression, { operator, ms: operand.ms })
  const same = sql<boolean>`${expression} = ${operand.truth ? 1 : 0}`
  return operator === "ne" ? isNot(same) : same
}

/** Compiles filters to SQL conditions that are never NULL, even for missing values. */
export const createFilterCompiler = ({ type, base }: Place) => {
  const owner = sql.ref(`${type.table}.id`)

  const someElement = ({ elements }: Attribute, condition: Condition): Condition =>
    elements
      ? sql<boolean>`${owner} in (select ${sql.ref(elements.owner)}
          from ${sql.raw(elements.from)} where ${condition})`
      : never

  const leafTest = (leaf: Attribute, operator: Operator, operand: Operand): Condition => {
    const { column } = leaf
    if (column === undefined) return operator === "ne" ? always : never
    if (!isConstant(column)) {
      const exact = leaf.caseExact === true
      return columnCondition(columnExpression(column, base), { operator, operand, exact })
    }
    if (!("text" in operand)) return never
    return constantCondition(leaf, column, { operator, text: operand.text })
  }

  const leafPresent = (leaf: Attribute): Condition => {
    const { column } = leaf
    if (leaf.type === "complex") return anyOf((leaf.subAttributes ?? []).filter(isKept))
    if (column === undefined) return never
    return isConstant(column) ? always : sql<boolean>`${columnExpression(column, base)} is not null`
  }

  const anyOf = (parts: readonly Attribute[]): Condition =>
    parts.length === 0 ? never : sql<boolean>`(${sql.join(parts.map(leafPresent), sql` or `)})`

  /** A multi-valued attribute matches if any of its values does. */
  const through = ({ attribute, sub }: AttributePath, of: (leaf: Attribute) => Condition) => {
    const leaf = sub ?? attribute
    const listed = attribute.multiValued && attribute.type === "complex"
    return listed ? someElement(attribute, sub ? of(leaf) : always) : of(leaf)
  }

  const compile = (filter: Filter): Condition => {
    switch (filter.kind) {
      case "and":
        return sql<boolean>`(${compile(filter.left)} and ${compile(filter.right)})`
      case "or":
        return sql<boolean>`(${compile(filter.left)} or ${compile(filter.right)})`
      case "not":
        return isNot(compile(filter.of))
      case "present":
        return through(filter.path, leafPresent)
      case "test":
        return through(filter.path, (leaf) => leafTest(leaf, filter.operator, filter.operand))
      case "element": {
        const inner = compile(filter.of)
        return filter.attribute.multiValued ? someElement(filter.attribute, inner) : inner
      }
    }
  }
  return compile
}
