import { type RawBuilder, sql } from "kysely"
import type { AttributePath } from "./attribute-paths.ts"
import type { Operand } from "./filter-operands.ts"
import {
  alwaysFalse,
  alwaysTrue,
  type EscapeLike,
  type FilterOperator,
  negate,
  textCondition,
  textOperators,
  timeCondition,
} from "./filter-operators.ts"
import type { Filter } from "./filter-parser.ts"
import {
  type AttributeColumn,
  isStoredAttribute,
  type ResourceType,
  type ScimAttribute,
} from "./resource-type.ts"

type Condition = RawBuilder<boolean>

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

interface Test {
  operator: FilterOperator
  operand: Operand
}

/** How the text of an attribute is compared. */
interface TextComparison {
  exact: boolean
  fold: (text: string) => string
  escapeLike: EscapeLike
}

const constantCondition = (
  constant: string,
  { operator, operand }: Test,
  { fold }: TextComparison,
): Condition =>
  "text" in operand && textOperators[operator].test(fold(constant), fold(operand.text))
    ? alwaysTrue
    : alwaysFalse

const isConstant = (column: AttributeColumn): column is { constant: string } =>
  typeof column === "object" && "constant" in column

const columnCondition = (
  expression: RawBuilder<unknown>,
  { operator, operand }: Test,
  { fold, ...comparison }: TextComparison,
): Condition => {
  if ("text" in operand) {
    return textCondition(expression, { operator, text: fold(operand.text), ...comparison })
  }
  if ("ms" in operand) return timeCondition(expression, { operator, ms: operand.ms })
  const equals = sql<boolean>`${expression} = ${operand.truth ? 1 : 0}`
  return operator === "ne" ? negate(equals) : equals
}

/** Compiles filters to SQL conditions that are never NULL, even for missing values. */
export const createFilterCompiler = ({
  type,
  base,
  foldCase,
  escapeLike,
}: FilterCompilerOptions) => {
  const owner = sql.ref(`${type.table}.id`)

  const someElement = ({ elements }: ScimAttribute, condition: Condition): Condition =>
    elements
      ? sql<boolean>`${owner} in (select ${sql.ref(elements.owner)}
          from ${sql.raw(elements.from)} where ${condition})`
      : alwaysFalse

  const compileTest = ({ column, caseExact }: ScimAttribute, test: Test): Condition => {
    if (column === undefined) return test.operator === "ne" ? alwaysTrue : alwaysFalse
    const exact = caseExact === true
    const comparison = { exact, fold: exact ? String : foldCase, escapeLike }
    return isConstant(column)
      ? constantCondition(column.constant, test, comparison)
      : columnCondition(columnExpression(column, base), test, comparison)
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
