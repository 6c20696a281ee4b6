import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { seriesColor } from "./series-color.ts"
import { formatMeasure, type Measure } from "./usage-measures.ts"
import type { UsageSeries } from "./usage-series.ts"

interface UsageLegendProps {
  measure: Measure
  series: readonly UsageSeries[]
  /** The interval whose values are shown; null for the totals. */
  selected: number | null
  nameOf: (item: UsageSeries["item"]) => string
  onOpen?: (series: UsageSeries) => (() => void) | undefined
  onHighlight: (id: string | null) => void
}

/** Names the series, in the order of the stack from below, with their values. */
export const UsageLegend = (props: UsageLegendProps) => {
  const { measure, series, selected, nameOf, onOpen, onHighlight } = props
  return (
    <ul className="-mx-2 flex min-w-0 flex-col self-start text-sm">
      {series.map((one, position) => {
        const name = nameOf(one.item)
        const value = selected === null ? one.total : (one.values[selected] ?? 0)
        const open = onOpen?.(one)
        const row = (
          <>
            <span
              aria-hidden
              className={classes(
                "size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none",
                seriesColor(one, position),
              )}
            />
            <span className="min-w-0 flex-1 truncate text-left">{name}</span>
            <span className={classes("tabular", value === 0 && "text-muted")}>
              {formatMeasure(measure, value)}
            </span>
          </>
        )
        const rowClass = "flex w-full items-center gap-2 rounded-md px-2 py-1"
        const highlight = {
          onPointerEnter: () => onHighlight(one.id),
          onPointerLeave: () => onHighlight(null),
        }
        return (
          <li key={one.id}>
            {open ? (
              <button
                type="button"
                {...highlight}
                onFocus={() => onHighlight(one.id)}
                onBlur={() => onHighlight(null)}
                onClick={open}
                title={t("usage.showOnly", { name })}
                className={classes(rowClass, "hover:bg-hover")}
              >
                {row}
              </button>
            ) : (
              <div {...highlight} className={rowClass}>
                {row}
              </div>
            )}
          </li>
        )
      })}
    </ul>
  )
}
