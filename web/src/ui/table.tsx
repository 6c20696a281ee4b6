import { ArrowDown, ArrowUp } from "lucide-react"
import type { PointerEvent, ReactNode } from "react"
import { t } from "../i18n/translate.ts"
import { classes } from "./classes.ts"

export interface Column<T> {
  id: string
  header: string
  cell: (item: T) => ReactNode
  /** The sort key; makes the header a button. */
  sort?: string
  align?: "right"
  /** Hidden in narrow tables. */
  wideOnly?: boolean
  /** In narrow tables shown below the name, `labeled` with its header, and not as a column. */
  belowName?: "plain" | "labeled"
  /** Takes the remaining width; unless it is a text, in wide tables two fifths. */
  grow?: boolean | "text"
}

interface TableProps<T> {
  /** What the table lists, for screen readers. */
  label: string
  columns: readonly Column<T>[]
  items: readonly T[]
  idOf: (item: T) => string
  order?: { by: string | undefined; direction: "asc" | "desc" | undefined }
  onOrder?: (by: string, direction: "asc" | "desc") => void
}

const cellClass = <T,>({ align, wideOnly, belowName, grow }: Column<T>): string =>
  classes(
    "px-2 first:pl-3 last:pr-3 wide:px-3 wide:first:pl-4 wide:last:pr-4",
    align === "right" && "text-right tabular",
    (wideOnly || belowName) && "@max-[46rem]:hidden",
    grow ? "w-full max-w-0 min-w-28 wide:min-w-36" : "whitespace-nowrap",
    grow === true && "@min-[46rem]:w-2/5",
  )

export const Table = <T,>({ label, columns, items, idOf, order, onOrder }: TableProps<T>) => (
  <div className="@container overflow-x-auto rounded border border-line">
    <table aria-label={label} className="w-full border-collapse text-left text-sm">
      <thead>
        <tr className="border-b border-line bg-surface text-xs text-muted">
          {columns.map((column) => (
            <Header
              key={column.id}
              column={column}
              order={order}
              {...(onOrder && { onOrder })}
              className={classes(cellClass(column), "h-9 font-medium whitespace-nowrap")}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr
            key={idOf(item)}
            className="border-b border-line last:border-0 hover:bg-surface has-[a:focus-visible]:bg-surface"
          >
            {columns.map((column) => (
              <td key={column.id} className={classes(cellClass(column), "py-2 align-middle")}>
                {column.cell(item)}
                {column.grow && <BelowName columns={columns} item={item} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

interface BelowNameProps<T> {
  columns: readonly Column<T>[]
  item: T
}

const BelowName = <T,>({ columns, item }: BelowNameProps<T>) => {
  const shown = columns.filter(({ belowName }) => belowName)
  if (shown.length === 0) return null
  return (
    <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs tabular @min-[46rem]:hidden">
      {shown.map(({ id, header, belowName, cell }) => (
        <span key={id} className="empty:hidden">
          {belowName === "labeled" && <span className="text-muted">{header}: </span>}
          {cell(item)}
        </span>
      ))}
    </div>
  )
}

interface HeaderProps<T> {
  column: Column<T>
  order: TableProps<T>["order"]
  onOrder?: TableProps<T>["onOrder"]
  className: string
}

const Header = <T,>({ column, order, onOrder, className }: HeaderProps<T>) => {
  const { sort, header } = column
  if (!sort || !onOrder) {
    return (
      <th scope="col" className={className}>
        {header === "" ? <span className="sr-only">{t("action.more")}</span> : header}
      </th>
    )
  }
  const active = order?.by === sort
  const descending = active && order?.direction === "desc"
  const Arrow = descending ? ArrowDown : ArrowUp
  const sorted = descending ? "descending" : "ascending"
  return (
    <th scope="col" aria-sort={active ? sorted : "none"} className={className}>
      <button
        type="button"
        onClick={() => onOrder(sort, active && !descending ? "desc" : "asc")}
        title={t("list.sort", { column: header })}
        className="-mx-1 inline-flex items-center gap-1 rounded-sm px-1 hover:text-text"
      >
        {header}
        <Arrow aria-hidden className={classes("size-3", !active && "opacity-0")} />
      </button>
    </th>
  )
}

/** Shows the whole text as a tooltip if it is cut off. */
const showCutText = ({ currentTarget: line }: PointerEvent<HTMLElement>): void => {
  line.title = line.scrollWidth > line.clientWidth ? (line.textContent ?? "") : ""
}

/** A name linked to its object's page, with a secondary line. */
export const NameCell = ({ children, detail }: { children: ReactNode; detail?: ReactNode }) => (
  <div className="min-w-0">
    <div onPointerEnter={showCutText} className="truncate font-medium [&_a]:hover:underline">
      {children}
    </div>
    {detail && (
      <div onPointerEnter={showCutText} className="truncate text-xs text-muted">
        {detail}
      </div>
    )}
  </div>
)
