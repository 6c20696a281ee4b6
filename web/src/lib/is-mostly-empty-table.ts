/** Cells that any table may have. */
const freeCells = 500

/**
 * Whether a table would have many more cells than its text: each row is filled up to as many
 * cells as the header has.
 */
export const isMostlyEmptyTable = (source: string): boolean => {
  const headerEnd = source.indexOf("\n")
  const columns = source.slice(0, Math.max(headerEnd, 0)).split("|").length
  if (columns < 10) return false
  const text = source.slice(0, /\n[ \t]*\n/.exec(source)?.index)
  return columns * text.split("\n").length > text.length + freeCells
}
