import { type RawBuilder, sql } from "kysely"
import { foldCase } from "../db/fold-case.ts"
import type { AttributePath } from "./attribute-paths.ts"
import type { AttributeColumn, ScimAttribute } from "./attributes.ts"
import type { Filter } from "./filter.ts"
import type { Operand } from "./filter-operands.ts"
import {
  alwaysFalse,
  alwaysTrue,
  type FilterOperator,
  negate,
  textCondition,
  textOperators,
  timeCondition,
} from "./filter-operators.ts"
import { isStored, type ResourceType } from "./resource-types.ts"

type Condition = RawBuilder<boolean>

interface CompilerContext {
  type: ResourceType
  /** Base URL of `meta.location` and `$ref`. */
  base: string
}

/** SQL expression of a non-constant column. */
export const columnExpression = (
  column: Exclude<AttributeColumn, { constant: string }>,
  base: string,
): RawBuilder<unknown> =>
  typeof column === "string"
    ? sql.ref(column)
    : sql`(cast(${`${base}/${column.endpoint}/`} as text) || ${sql.ref(column.id)})`

const constantCondition = (
  { caseExact }: ScimAttribute,
  { constant }: { constant: string },
  { operator, text }: { operator: FilterOperator; text: string },
): Condition =>
  textOperators[operator].test(caseExact ? constant : foldCase(constant), text)
    ? alwaysTrue
    : alwaysFalse

const isConstant = (column: AttributeColumn): column is { constant: string } =>
  typeof column === "object" && "constant" in column

const columnCondition = (
  expression: RawBuilder<unknown>,
  { operator, operand, exact }: { operator: FilterOperator; operand: Operand; exact: boolean },
): Condition => {
  if ("text" in operand) {
    return textCondition(expression, { operator, text: operand.text, exact })
  }
  if ("ms" in operand) return timeCondition(expression, { operator, ms: operand.ms })
  const equals = sql<boolean>`${expression} = ${operand.truth ? 1 : 0}`
  return operator === "ne" ? negate(equals) : equals
}

/** Compiles filters to SQL conditions that are never NULL, even for missing values. */
export const createFilterCompiler = ({ type, base }: CompilerContext) => {
  const owner = sql.ref(`${type.table}.id`)

  const someElement = ({ elements }: ScimAttribute, condition: Condition): Condition =>
    elements
      ? sql<boolean>`${owner} in (select ${sql.ref(elements.owner)}
          from ${sql.raw(elements.from)} where ${condition})`
      : alwaysFalse

  const compileTest = (
    leaf: ScimAttribute,
    operator: FilterOperator,
    operand: Operand,
  ): Condition => {
    const { column } = leaf
    if (column === undefined) return operator === "ne" ? alwaysTrue : alwaysFalse
    if (!isConstant(column)) {
      const exact = leaf.caseExact === true
      return columnCondition(columnExpression(column, base), { operator, operand, exact })
    }
    if (!("text" in operand)) return alwaysFalse
    return constantCondition(leaf, column, { operator, text: operand.text })
  }

  const compilePresence = (leaf: ScimAttribute): Condition => {
    const { column } = leaf
    if (leaf.type === "complex") return anyOf((leaf.subAttributes ?? []).filter(isStored))
    if (column === undefined) return alwaysFalse
    return isConstant(column)
      ? alwaysTrue
      : sql<boolean>`${columnExpression(column, base)} is not null`
  }

  const anyOf = (parts: readonly ScimAttribute[]): Condition =>
    parts.length === 0
      ? alwaysFalse
      : sql<boolean>`(${sql.join(parts.map(compilePresence), sql` or `)})`

  /** A multi-valued attribute matches if any of its values does. */
  const compileForPath = (
    { attribute, sub }: AttributePath,
    of: (leaf: ScimAttribute) => Condition,
  ) => {
    const leaf = sub ?? attribute
    const listed = attribute.multiValued && attribute.type === "complex"
    return listed ? someElement(attribute, sub ? of(leaf) : alwaysTrue) : of(leaf)
  }

  const compile = (filter: Filter): Condition => {
    switch (filter.kind) {
      case "and":
        return sql<boolean>`(${compile(filter.left)} and ${compile(filter.right)})`
      case "or":
        return sql<boolean>`(${compile(filter.left)} or ${compile(filter.right)})`
      case "not":
        return negate(compile(filter.of))
      case "present":
        return compileForPath(filter.path, compilePresence)
      case "test":
        return compileForPath(filter.path, (leaf) =>
          compileTest(leaf, filter.operator, filter.operand),
        )
      case "element": {
        const inner = compile(filter.of)
        return filter.attribute.multiValued ? someElement(filter.attribute, inner) : inner
      }
    }
  }
  return compile
}
