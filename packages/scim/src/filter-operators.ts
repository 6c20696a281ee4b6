import { type RawBuilder, sql } from "kysely"

type Condition = RawBuilder<boolean>
type Expression = RawBuilder<unknown>

/** Escapes `%`, `_` and `\` for a `like … escape '\'` pattern. */
export type EscapeLike = (text: string) => string

/** A text comparison, in SQL and in memory. */
interface TextOperator {
  sql(column: Expression, text: string, escapeLike: EscapeLike): Condition
  test(value: string, text: string): boolean
}

const compareBytes = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right))

const countCharacters = (text: string): number => [...text].length

/** Negation without NULL: a missing value is not equal to anything. */
export const negate = (condition: Condition): Condition =>
  sql<boolean>`((${condition}) is not true)`

/** Case-sensitive comparison; SQLite's LIKE ignores case. */
const caseExactSql: Record<"co" | "sw" | "ew", (column: Expression, text: string) => Condition> = {
  co: (column, text) =>
    text === ""
      ? sql<boolean>`${column} is not null`
      : sql<boolean>`replace(${column}, ${text}, '') <> ${column}`,
  sw: (column, text) => sql<boolean>`substr(${column}, 1, ${countCharacters(text)}) = ${text}`,
  ew: (column, text) => {
    const length = countCharacters(text)
    return sql<boolean>`(length(${column}) >= ${length}
      and substr(${column}, length(${column}) - ${length} + 1) = ${text})`
  },
}

const like = (column: Expression, pattern: string): Condition =>
  sql<boolean>`${column} like ${pattern} escape '\\'`

/** The operators of RFC 7644 §3.4.2.2 for text, except `pr`. */
export const textOperators = {
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
    test: (value, text) => value.includes(text),
  },
  sw: {
    sql: (column, text, escapeLike) => like(column, `${escapeLike(text)}%`),
    test: (value, text) => value.startsWith(text),
  },
  ew: {
    sql: (column, text, escapeLike) => like(column, `%${escapeLike(text)}`),
    test: (value, text) => value.endsWith(text),
  },
  gt: {
    sql: (column, text) => sql<boolean>`${column} > ${text}`,
    test: (value, text) => compareBytes(value, text) > 0,
  },
  ge: {
    sql: (column, text) => sql<boolean>`${column} >= ${text}`,
    test: (value, text) => compareBytes(value, text) >= 0,
  },
  lt: {
    sql: (column, text) => sql<boolean>`${column} < ${text}`,
    test: (value, text) => compareBytes(value, text) < 0,
  },
  le: {
    sql: (column, text) => sql<boolean>`${column} <= ${text}`,
    test: (value, text) => compareBytes(value, text) <= 0,
  },
} satisfies Record<string, TextOperator>

export type FilterOperator = keyof typeof textOperators

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

export const textCondition = (
  column: Expression,
  {
    operator,
    text,
    exact,
    escapeLike,
  }: { operator: FilterOperator; text: string; exact: boolean; escapeLike: EscapeLike },
): Condition => {
  if (exact && (operator === "co" || operator === "sw" || operator === "ew")) {
    return caseExactSql[operator](column, text)
  }
  return textOperators[operator].sql(column, text, escapeLike)
}

export const alwaysFalse = sql<boolean>`(1 = 0)`

/** Columns have whole milliseconds; the operand may lie between two of them. */
export const timeCondition = (
  column: Expression,
  { operator, ms }: { operator: FilterOperator; ms: number },
): Condition => {
  const down = Math.floor(ms)
  const up = Math.ceil(ms)
  const equal = down === up ? sql<boolean>`${column} = ${down}` : alwaysFalse
  if (operator === "eq") return equal
  if (operator === "ne") return negate(equal)
  if (operator === "gt") return sql<boolean>`${column} > ${down}`
  if (operator === "ge") return sql<boolean>`${column} >= ${up}`
  if (operator === "lt") return sql<boolean>`${column} < ${up}`
  return sql<boolean>`${column} <= ${down}`
}

const timeTests: Partial<Record<FilterOperator, (difference: number) => boolean>> = {
  eq: (difference) => difference === 0,
  ne: (difference) => difference !== 0,
  gt: (difference) => difference > 0,
  ge: (difference) => difference >= 0,
  lt: (difference) => difference < 0,
  le: (difference) => difference <= 0,
}

export const testTime = (operator: FilterOperator, difference: number): boolean =>
  timeTests[operator]?.(difference) ?? false

export const alwaysTrue = sql<boolean>`(1 = 1)`
