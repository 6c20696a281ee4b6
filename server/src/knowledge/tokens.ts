/** About how many tokens a text has, rather too many than too few. */
export const estimateTokens = (text: string): number => {
  let wide = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x2e80) wide++
  return Math.ceil((text.length - wide) / 3.5 + wide)
}
