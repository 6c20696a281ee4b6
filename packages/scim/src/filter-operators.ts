import { type RawBuilder, sql } from "kysely"

export type Condition = RawBuilder<boolean>
type Expression = RawBuilder<unknown>

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export type EscapeLike = (text: string) => string

export const alwaysTrue = sql<boolean>`(1 = 1)`
export const alwaysFalse = sql<boolean>`(1 = 0)`

/** Negation without NULL: a missing value is not equal to anything. */
export const negate = (condition: Condition): Condition =>
  sql<boolean>`((${condition}) is not true)`

/** A text comparison, in SQL and in memory. */
interface TextOperator {
  sql(column: Expression, text: string, escapeLike: EscapeLike): Condition
  /** Case-sensitive, if `sql` is not: SQLite's LIKE ignores case. */
  exactSql?(column: Expression, text: string): Condition
  test(value: string, text: string): boolean
}

const inequalities = {
  gt: { symbol: ">", holds: (order: number): boolean => order > 0 },
  ge: { symbol: ">=", holds: (order: number): boolean => order >= 0 },
  lt: { symbol: "<", holds: (order: number): boolean => order < 0 },
  le: { symbol: "<=", holds: (order: number): boolean => order <= 0 },
}

const isInequality = (operator: string): operator is keyof typeof inequalities =>
  Object.hasOwn(inequalities, operator)

const inequalityCondition = (
  column: Expression,
  operator: keyof typeof inequalities,
  value: string | number,
): Condition => sql<boolean>`${column} ${sql.raw(inequalities[operator].symbol)} ${value}`

/** Compares text by its bytes, as the databases do. */
const textInequality = (operator: keyof typeof inequalities): TextOperator => ({
  sql: (column, text) => inequalityCondition(column, operator, text),
  test: (value, text) =>
    inequalities[operator].holds(Buffer.compare(Buffer.from(value), Buffer.from(text))),
})

const countCharacters = (text: string): number => [...text].length

const like = (column: Expression, pattern: string): Condition =>
  sql<boolean>`${column} like ${pattern} escape '\\'`

/** The operators of RFC 7644 §3.4.2.2 for text, except `pr`. */
const textOperators = {
  eq: {
    sql: (column, text) => sql<boolean>`${column} = ${text}`,
    test: (value, text) => value === text,
  },
  ne: {
    sql: (column, text) => negate(sql<boolean>`${column} = ${text}`),
    test: (value, text) => value !== text,
  },
  co: {
    sql: (column, text, escapeLike) => like(column, `%${escapeLike(text)}%`),
    exactSql: (column, text) =>
      text === ""
        ? sql<boolean>`${column} is not null`
        : sql<boolean>`replace(${column}, ${text}, '') <> ${column}`,
    test: (value, text) => value.includes(text),
  },
  sw: {
    sql: (column, text, escapeLike) => like(column, `${escapeLike(text)}%`),
    exactSql: (column, text) =>
      sql<boolean>`substr(${column}, 1, ${countCharacters(text)}) = ${text}`,
    test: (value, text) => value.startsWith(text),
  },
  ew: {
    sql: (column, text, escapeLike) => like(column, `%${escapeLike(text)}`),
    exactSql: (column, text) => {
      const length = countCharacters(text)
      return sql<boolean>`(length(${column}) >= ${length}
        and substr(${column}, length(${column}) - ${length} + 1) = ${text})`
    },
    test: (value, text) => value.endsWith(text),
  },
  gt: textInequality("gt"),
  ge: textInequality("ge"),
  lt: textInequality("lt"),
  le: textInequality("le"),
} satisfies Record<string, TextOperator>

export type FilterOperator = keyof typeof textOperators

export const textOperatorOf = (operator: FilterOperator): TextOperator => textOperators[operator]

export const filterOperators = Object.keys(textOperators) as FilterOperator[]

/** Operators supported for each attribute type. */
export const operatorsOf: Record<
  "string" | "reference" | "boolean" | "dateTime",
  FilterOperator[]
> = {
  string: filterOperators,
  reference: filterOperators,
  boolean: ["eq", "ne"],
  dateTime: ["eq", "ne", "gt", "ge", "lt", "le"],
}

export const booleanCondition = (
  column: Expression,
  operator: FilterOperator,
  truth: boolean,
): Condition => {
  const equal = sql<boolean>`${column} = ${truth ? 1 : 0}`
  return operator === "ne" ? negate(equal) : equal
}

/** Columns have whole milliseconds; the operand may lie between two of them. */
export const timeCondition = (
  column: Expression,
  operator: FilterOperator,
  ms: number,
): Condition => {
  const [down, up] = [Math.floor(ms), Math.ceil(ms)]
  if (isInequality(operator)) {
    const bound = operator === "gt" || operator === "le" ? down : up
    return inequalityCondition(column, operator, bound)
  }
  const equal = down === up ? sql<boolean>`${column} = ${down}` : alwaysFalse
  return operator === "ne" ? negate(equal) : equal
}

/** @param difference of the value and the operand */
export const testTime = (operator: FilterOperator, difference: number): boolean => {
  if (isInequality(operator)) return inequalities[operator].holds(difference)
  return (difference === 0) === (operator === "eq")
}
