import { type RawBuilder, sql } from "kysely"
import type { AttributePath } from "./attribute-paths.ts"
import {
  alwaysFalse,
  alwaysTrue,
  booleanCondition,
  type Condition,
  type EscapeLike,
  type FilterOperator,
  negate,
  textOperatorOf,
  timeCondition,
} from "./filter-operators.ts"
import type { Filter } from "./filter-parser.ts"
import {
  type AttributeColumn,
  isStoredAttribute,
  type ResourceType,
  type ScimAttribute,
} from "./resource-type.ts"

export interface FilterCompilerOptions {
  type: ResourceType
  /** Base URL of `meta.location` and `$ref`. */
  base: string
  /** Folds case as the columns of attributes that are not `caseExact` are folded. */
  foldCase: (text: string) => string
  escapeLike: EscapeLike
}

/** SQL expression of a non-constant column. */
export const columnExpression = (
  column: Exclude<AttributeColumn, { constant: string }>,
  base: string,
): RawBuilder<unknown> =>
  typeof column === "string"
    ? sql.ref(column)
    : sql`(cast(${`${base}/${column.endpoint}/`} as text) || ${sql.ref(column.id)})`

const isConstant = (column: AttributeColumn): column is { constant: string } =>
  typeof column === "object" && "constant" in column

/** Compiles filters to SQL conditions that are never NULL, even for missing values. */
export const createFilterCompiler = (options: FilterCompilerOptions) => {
  const { type, base, foldCase, escapeLike } = options
  const owner = sql.ref(`${type.table}.id`)

  const someElement = ({ elements }: ScimAttribute, condition: Condition): Condition =>
    elements
      ? sql<boolean>`${owner} in (select ${sql.ref(elements.owner)}
          from ${sql.raw(elements.from)} where ${condition})`
      : alwaysFalse

  const compileText = (
    column: AttributeColumn,
    operator: FilterOperator,
    { text, isExact }: { text: string; isExact: boolean },
  ): Condition => {
    const fold = isExact ? String : foldCase
    const textOperator = textOperatorOf(operator)
    if (isConstant(column))
      return textOperator.test(fold(column.constant), fold(text)) ? alwaysTrue : alwaysFalse
    const expression = columnExpression(column, base)
    return isExact && textOperator.exactSql
      ? textOperator.exactSql(expression, text)
      : textOperator.sql(expression, fold(text), escapeLike)
  }

  const compileTest = (
    { column, caseExact }: ScimAttribute,
    { operator, operand }: Extract<Filter, { kind: "test" }>,
  ): Condition => {
    if (column === undefined) return operator === "ne" ? alwaysTrue : alwaysFalse
    if ("text" in operand)
      return compileText(column, operator, { ...operand, isExact: caseExact === true })
    if (isConstant(column)) return alwaysFalse
    const expression = columnExpression(column, base)
    if ("ms" in operand) return timeCondition(expression, operator, operand.ms)
    return booleanCondition(expression, operator, operand.truth)
  }

  const compilePresence = (leaf: ScimAttribute): Condition => {
    const { column } = leaf
    if (leaf.type === "complex") return anyOf((leaf.subAttributes ?? []).filter(isStoredAttribute))
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
        return compileForPath(filter.path, (leaf) => compileTest(leaf, filter))
      case "element": {
        const inner = compile(filter.of)
        return filter.attribute.multiValued ? someElement(filter.attribute, inner) : inner
      }
    }
  }
  return compile
}
