import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDuration, formatNumber } from "../../lib/format.ts"
import { type Column, Table } from "../../ui/table.tsx"
import { formatUsageCost, type Measure, measureLabels } from "./usage-measures.ts"
import { compareUsage } from "./usage-series.ts"

interface UsageTableProps {
  label: string
  items: readonly UsageTotal[]
  /** The figures to show. */
  measures: readonly Measure[]
  /** The figure to sort by. */
  measure: Measure
  idOf: (item: UsageTotal) => string
  /** What the rows are, and the cell that says which one it is. */
  nameColumn: Pick<Column<UsageTotal>, "header" | "cell">
}

/** Where figures go if the table is narrow. */
const narrowColumns: Record<Measure, Partial<Column<UsageTotal>>> = {
  cost: {},
  requests: {},
  errors: { wideOnly: true },
  tokens_in: { belowName: "labeled" },
  tokens_out: { belowName: "labeled" },
}

const Cost = ({ item }: { item: UsageTotal }) => (
  <>
    {formatUsageCost(item)}
    {item.cost > 0 && item.unpriced > 0 && (
      <span className="block text-xs text-muted">
        {t("usage.rowUnpriced", { count: item.unpriced })}
      </span>
    )}
  </>
)

const measureColumn = (measure: Measure): Column<UsageTotal> => ({
  id: measure,
  header: t(measureLabels[measure]),
  align: "right",
  ...narrowColumns[measure],
  cell: (item) => {
    if (measure === "cost") return <Cost item={item} />
    const isProblem = measure === "errors" && item.errors > 0
    return <span className={isProblem ? "text-danger" : ""}>{formatNumber(item[measure])}</span>
  },
})

const durationColumn = (): Column<UsageTotal> => ({
  id: "duration",
  header: t("usage.duration"),
  align: "right",
  wideOnly: true,
  cell: ({ duration_ms }) => formatDuration(Math.round(duration_ms)),
})

/** The figures of each model, user and so on, the largest first. */
export const UsageTable = (props: UsageTableProps) => {
  const { label, items, measures, measure, idOf, nameColumn } = props
  const max = Math.max(1, ...items.map((item) => item[measure]))
  return (
    <Table
      label={label}
      items={items}
      idOf={idOf}
      columns={[
        {
          id: "name",
          header: nameColumn.header,
          grow: true,
          cell: (item) => (
            <div className="flex flex-col gap-1">
              {nameColumn.cell(item)}
              <div
                aria-hidden
                className="h-1 rounded-full bg-accent"
                style={{ width: `${Math.max(1, (item[measure] / max) * 100)}%` }}
              />
            </div>
          ),
        },
        ...measures.map(measureColumn),
        durationColumn(),
      ]}
    />
  )
}

/** Sorts totals for a table, the largest first. */
export const sortUsage = (items: readonly UsageTotal[], measure: Measure): UsageTotal[] =>
  items.toSorted(
    compareUsage(
      (item) => item,
      (item) => item[measure],
    ),
  )
