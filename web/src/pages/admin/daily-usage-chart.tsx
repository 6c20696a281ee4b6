import { useState } from "react"
import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatDate, formatNumber, formatShortNumber } from "../../lib/format.ts"
import { daySeconds, formatUtcDay } from "../../lib/utc-days.ts"
import { Filter } from "../../ui/toolbar.tsx"

interface DailyUsageChartProps {
  items: readonly UsageTotal[]
  /** Unix time of the start of a UTC day. */
  from: number
  to: number
}

interface Day {
  /** Noon UTC, so that nearly every time zone shows the same date. */
  at: number
  requests: number
  tokens: number
}

const fillDays = ({ items, from, to }: DailyUsageChartProps): Day[] => {
  const byDay = new Map(items.map((item) => [item.key, item]))
  const count = Math.round((to - from) / daySeconds)
  return Array.from({ length: count }, (_, index) => {
    const start = from + index * daySeconds
    const item = byDay.get(formatUtcDay(start))
    const tokens = (item?.tokens_in ?? 0) + (item?.tokens_out ?? 0)
    return { at: start + daySeconds / 2, requests: item?.requests ?? 0, tokens }
  })
}

/** Rounds up to a scale maximum whose half is also a round number. */
const roundUp = (value: number): number => {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [2, 4, 6, 10, 20].map((step) => step * power).find((top) => top >= value) ?? value
}

/** A bar chart with one bar per day; the table below it has the same figures. */
export const DailyUsageChart = (props: DailyUsageChartProps) => {
  const [measure, setMeasure] = useState<"requests" | "tokens">("requests")
  const [hoveredDay, setHoveredDay] = useState<Day | null>(null)
  const days = fillDays(props)
  const top = roundUp(Math.max(...days.map((day) => day[measure])))
  const name = t(measure === "requests" ? "usage.requests" : "label.tokens")
  const first = days[0]
  const last = days.at(-1)
  return (
    <figure className="flex flex-col gap-2 rounded border border-line p-4">
      <figcaption className="flex min-h-8.5 flex-wrap items-center justify-between gap-2">
        <Filter
          label={t("usage.measure")}
          value={measure}
          onValue={(value) => setMeasure(value === "tokens" ? "tokens" : "requests")}
          options={[
            { value: "requests", label: t("usage.requests") },
            { value: "tokens", label: t("label.tokens") },
          ]}
        />
        <span className="text-sm text-muted tabular">
          {hoveredDay && (
            <>
              {formatDate(hoveredDay.at)}: <strong>{formatNumber(hoveredDay[measure])}</strong>
            </>
          )}
        </span>
      </figcaption>
      <div className="mt-2 flex gap-2">
        <div className="relative h-40 w-9 shrink-0 text-xs text-muted tabular">
          {[1, 0.5, 0].map((share) => (
            <span
              key={share}
              className="absolute right-0 translate-y-1/2 leading-none"
              style={{ bottom: `${share * 100}%` }}
            >
              {formatShortNumber(top * share)}
            </span>
          ))}
        </div>
        <div
          role="img"
          aria-label={t("usage.chart", { measure: name })}
          onPointerLeave={() => setHoveredDay(null)}
          className="flex h-40 min-w-0 flex-1 items-end border-y border-line bg-[linear-gradient(var(--color-line),var(--color-line))] bg-[length:100%_1px] bg-center bg-no-repeat"
        >
          {days.map((day) => (
            <div
              key={day.at}
              onPointerEnter={() => setHoveredDay(day)}
              className="group flex h-full min-w-0 flex-1 items-end px-px"
            >
              <div
                className="w-full rounded-t-[2px] bg-accent group-hover:bg-accent-hover"
                style={{
                  height: `${(day[measure] / top) * 100}%`,
                  minHeight: day[measure] > 0 ? 2 : 0,
                }}
              />
            </div>
          ))}
        </div>
      </div>
      <div className="flex justify-between pl-11 text-xs text-muted">
        <span>{first && formatDate(first.at)}</span>
        <span>{last && formatDate(last.at)}</span>
      </div>
    </figure>
  )
}
