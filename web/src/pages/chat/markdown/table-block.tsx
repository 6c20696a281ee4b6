import { Download } from "lucide-react"
import type { Tokens } from "marked"
import { t } from "../../../i18n/translate.ts"
import { type Cell, downloadCsv } from "../../../lib/csv.ts"
import { IconButton } from "../../../ui/button.tsx"
import { CopyButton } from "../../../ui/copy-button.tsx"
import { Inlines } from "./inlines.tsx"
import { plainTextOf } from "./plain-text.ts"

const rowsOf = ({ header, rows }: Tokens.Table): string[][] =>
  [header, ...rows].map((row) => row.map(({ tokens }) => plainTextOf(tokens)))

/** A negative number is no formula. */
const cellOf = (text: string): Cell => (/^-\d+(\.\d+)?$/.test(text) ? Number(text) : text)

/** Spreadsheets paste lines with tabs as rows of cells. */
const formatTabSeparated = (rows: readonly (readonly string[])[]): string =>
  rows.map((row) => row.map((text) => text.replaceAll(/\s+/g, " ")).join("\t")).join("\n")

export const TableBlock = ({ token }: { token: Tokens.Table }) => {
  const cell = (Tag: "th" | "td", { tokens, align }: Tokens.TableCell, index: number) => (
    <Tag key={index} {...(align && { style: { textAlign: align } })}>
      <Inlines tokens={tokens} />
    </Tag>
  )
  const rows = rowsOf(token)
  return (
    <div className="table-block">
      {/* biome-ignore-start lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a section would become a landmark */}
      <div role="group" className="markdown-table" tabIndex={0} aria-label={t("chat.table")}>
        <table>
          <thead>
            <tr>{token.header.map((one, index) => cell("th", one, index))}</tr>
          </thead>
          <tbody>
            {token.rows.map((row, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are only appended
              <tr key={index}>{row.map((one, column) => cell("td", one, column))}</tr>
            ))}
          </tbody>
        </table>
      </div>
      {/* biome-ignore-end lint/a11y/noNoninteractiveTabindex: see above */}
      <div className="flex justify-end">
        <IconButton
          icon={Download}
          label={t("markdown.downloadTable")}
          onClick={() =>
            downloadCsv(
              "table.csv",
              rows.map((row) => row.map(cellOf)),
            )
          }
        />
        <CopyButton text={formatTabSeparated(rows)} label={t("markdown.copyTable")} />
      </div>
    </div>
  )
}
