import type { Token } from "marked"

const entities: Record<string, string> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
  "&amp;": "&",
  "&nbsp;": "\u00a0",
}

/** Entities that models commonly write. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(lt|gt|quot|#39|amp|nbsp);/g, (entity) => entities[entity] ?? entity)

/** The text of inline tokens without their formatting. */
export const plainTextOf = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if (token.type === "br") return "\n"
      if ("tokens" in token && token.tokens) return plainTextOf(token.tokens)
      return "text" in token ? decodeEntities(String(token.text)) : token.raw
    })
    .join("")
