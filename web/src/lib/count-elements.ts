import type { Token } from "marked"

/** Elements of the page that a token takes besides those of its children. */
const elementsByType: Record<string, number> = { code: 30, table: 25, list_item: 2, text: 0 }
/** A character of a formula becomes several elements. */
const elementsPerFormulaCharacter = 4

const childrenOf = (token: Token): readonly Token[] => {
  if (token.type === "list") return token.items
  if (token.type !== "table") return "tokens" in token ? (token.tokens ?? []) : []
  return [token.header, ...token.rows].flat().flatMap((cell) => [cell, ...cell.tokens])
}

/** About how many elements of the page show a token; its nesting is bounded by the lexer. */
export const countElements = (token: Token): number => {
  let count = elementsByType[token.type] ?? 1
  if (token.type === "formula") count += elementsPerFormulaCharacter * token.raw.length
  for (const child of childrenOf(token)) count += countElements(child)
  return count
}
