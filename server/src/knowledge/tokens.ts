/** For scripts with spaces; a low value, so that estimates are rather too high. */
export const charactersPerToken = 3.5

/** Estimates the tokens of a text, rather too many than too few. */
export const estimateTokens = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide++
  return Math.ceil((text.length - wide) / charactersPerToken + wide)
}

/** The beginning of a text that fits within `maxTokens`, cut at a space if possible. */
export const truncateToTokens = (text: string, maxTokens: number): string => {
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  let end = Math.max(0, Math.floor((text.length * maxTokens) / tokens))
  while (end > 0 && estimateTokens(text.slice(0, end)) > maxTokens) end = Math.floor(end * 0.9)
  const space = text.lastIndexOf(" ", end)
  if (space > end / 2) return text.slice(0, space).trimEnd()
  // Not between the halves of a surrogate pair.
  const code = text.charCodeAt(end)
  return text.slice(0, code >= 0xdc00 && code <= 0xdfff ? end - 1 : end).trimEnd()
}
