/** Of a text in a script with spaces, rather too few than too many. */
export const charactersPerToken = 3.5

/** About how many tokens a text has, rather too many than too few. */
export const estimateTokens = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide++
  return Math.ceil((text.length - wide) / charactersPerToken + wide)
}

/** The beginning of a text that has no more than so many tokens; whole words where it has spaces. */
export const truncateToTokens = (text: string, maxTokens: number): string => {
  const tokens = estimateTokens(text)
  if (tokens <= maxTokens) return text
  let end = Math.max(0, Math.floor((text.length * maxTokens) / tokens))
  while (end > 0 && estimateTokens(text.slice(0, end)) > maxTokens) end = Math.floor(end * 0.9)
  const space = text.lastIndexOf(" ", end)
  if (space > end / 2) return text.slice(0, space).trimEnd()
  // Never between the halves of a surrogate pair.
  const code = text.charCodeAt(end)
  return text.slice(0, code >= 0xdc00 && code <= 0xdfff ? end - 1 : end).trimEnd()
}
