import type { Block, PassageLocation } from "./blocks.ts"
import { findHeader, maxHeaderRows } from "./tables/find-header.ts"
import { formatTable, formatTitleRows, formatUnnamedRows } from "./tables/format-rows.ts"
import { hasText, type TableRow } from "./tables/table-row.ts"

/**
 * Formats a table as rows with the name of its column before each value, so that passages need no
 * header. Titles above the header become headings of the rows.
 * @param headerRows number of header rows if the document tells it; else the header is looked for
 */
export const rowsToBlocks = (
  rows: readonly TableRow[],
  location: PassageLocation = {},
  headerRows?: number,
): Block[] => {
  const filled = rows.filter(hasText)
  const header =
    headerRows === undefined
      ? findHeader(filled)
      : { start: 0, end: Math.min(headerRows, maxHeaderRows) }
  if (!header || header.end === 0) return formatUnnamedRows(filled, location)
  const { blocks, heading } = formatTitleRows(filled.slice(0, header.start), location)
  const inTable = { ...location, ...(heading && { heading }) }
  const table = formatTable(
    filled.slice(header.start, header.end),
    filled.slice(header.end),
    inTable,
  )
  return [...blocks, ...table]
}
