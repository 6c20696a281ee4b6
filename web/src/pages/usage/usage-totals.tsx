import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import {
  formatMeasure,
  formatUsageCost,
  type Measure,
  measureLabels,
  type UsageSums,
} from "./usage-measures.ts"

interface UsageTotalsProps {
  totals: UsageSums
  measures: readonly Measure[]
  measure: Measure
  onMeasure: (measure: Measure) => void
}

/** The totals; pressing one shows it in the chart. */
export const UsageTotals = ({ totals, measures, measure, onMeasure }: UsageTotalsProps) => (
  <fieldset
    aria-label={t("usage.measure")}
    className="flex flex-wrap gap-px overflow-hidden rounded border border-line bg-line"
  >
    {measures.map((one) => (
      <button
        key={one}
        type="button"
        aria-pressed={one === measure}
        onClick={() => onMeasure(one)}
        className="group flex flex-1 basis-32 flex-col items-start border-b-2 border-transparent bg-bg px-4 py-2.5 text-left -outline-offset-2 transition-colors hover:bg-surface aria-pressed:border-accent"
      >
        <span className="text-xs text-muted group-aria-pressed:text-text">
          {t(measureLabels[one])}
        </span>
        <span
          className={classes(
            "text-lg font-semibold tabular",
            one === "errors" && totals.errors > 0 && "text-danger",
          )}
        >
          {one === "cost" ? formatUsageCost(totals) : formatMeasure(one, totals[one])}
        </span>
      </button>
    ))}
  </fieldset>
)
