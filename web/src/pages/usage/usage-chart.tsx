import { memo, useMemo, useState } from "react"
import type { UsageInterval } from "../../../../server/src/usage/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { formatInterval, formatIntervalShort } from "./format-interval.ts"
import { seriesColor } from "./series-color.ts"
import { UsageLegend } from "./usage-legend.tsx"
import { formatMeasure, formatOnAxis, type Measure, measureLabels } from "./usage-measures.ts"
import { roundUpScale, sumSeries, type UsageSeries } from "./usage-series.ts"
import { useBarSelection } from "./use-bar-selection.ts"

const intervalLabels: Record<UsageInterval, MessageKey> = {
  hour: "usage.perHour",
  day: "usage.perDay",
  month: "usage.perMonth",
}

interface UsageChartProps {
  measure: Measure
  interval: UsageInterval
  /** Unix times of the intervals, one for each bar. */
  starts: readonly number[]
  series: readonly UsageSeries[]
  /** The name of a series, if they are to be listed. */
  nameOf?: (item: UsageSeries["item"]) => string
  /** Shows one series in more detail; undefined for one that cannot be. */
  onOpen?: (series: UsageSeries) => (() => void) | undefined
}

/** Stacked bars, one for each interval; a legend has the values of the selected bar. */
export const UsageChart = (props: UsageChartProps) => {
  const { measure, interval, starts, series, nameOf, onOpen } = props
  const { selected, ...selection } = useBarSelection(starts.length)
  const [highlighted, setHighlighted] = useState<string | null>(null)
  const sums = useMemo(() => sumSeries(series, starts.length), [series, starts])
  const sum = selected === null ? sums.reduce((a, b) => a + b, 0) : (sums[selected] ?? 0)
  const title = t(intervalLabels[interval], { measure: t(measureLabels[measure]) })
  const describe = (index: number): string => {
    const parts = nameOf ? series.filter(({ values }) => (values[index] ?? 0) > 0) : []
    return [
      `${formatInterval(starts[index] ?? 0, interval)}: ${formatMeasure(measure, sums[index] ?? 0)}`,
      ...parts.map(
        (one) => `${nameOf?.(one.item)}: ${formatMeasure(measure, one.values[index] ?? 0)}`,
      ),
    ].join("; ")
  }
  return (
    <figure className="@container rounded border border-line p-4">
      <figcaption className="flex flex-wrap items-baseline justify-between gap-x-4 text-sm">
        <span className="font-medium">{title}</span>
        <span className="text-muted tabular">
          {selected === null ? t("usage.total") : formatInterval(starts[selected] ?? 0, interval)}
          {": "}
          <strong className="font-semibold text-text">{formatMeasure(measure, sum)}</strong>
        </span>
      </figcaption>
      <div
        className={classes(
          "mt-5 grid gap-x-8 gap-y-5",
          nameOf && "@min-[46rem]:grid-cols-[minmax(0,1fr)_17rem]",
        )}
      >
        <Plot
          {...{ measure, interval, starts, series, sums, selected, highlighted }}
          {...{ title, selection, describe }}
        />
        {nameOf && (
          <UsageLegend
            measure={measure}
            series={series}
            selected={selected}
            nameOf={nameOf}
            onHighlight={setHighlighted}
            {...(onOpen && { onOpen })}
          />
        )}
      </div>
    </figure>
  )
}

interface PlotProps extends Pick<UsageChartProps, "measure" | "interval" | "starts" | "series"> {
  sums: readonly number[]
  selected: number | null
  highlighted: string | null
  title: string
  describe: (index: number) => string
  selection: Omit<ReturnType<typeof useBarSelection>, "selected">
}

const Plot = (props: PlotProps) => {
  const { measure, sums, starts, interval, series, selected, highlighted } = props
  const last = starts.length - 1
  const scale = roundUpScale(Math.max(...sums, 0))
  return (
    <div className="grid min-w-0 grid-cols-[auto_minmax(0,1fr)] gap-x-2 gap-y-1.5">
      <div className="-my-2 flex flex-col items-end justify-between text-xs text-muted tabular">
        {[1, 0.5, 0].map((share) => (
          <span key={share}>{formatOnAxis(measure, scale * share)}</span>
        ))}
      </div>
      {/* A slider announces the values of the bar that the arrow keys select. */}
      <div
        role="slider"
        tabIndex={0}
        aria-label={props.title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={selected ?? last}
        aria-valuetext={props.describe(selected ?? last)}
        {...props.selection}
        className="flex h-52 min-w-0 cursor-crosshair touch-pan-y items-end rounded-sm border-y border-line bg-[linear-gradient(var(--color-line),var(--color-line))] bg-[length:100%_1px] bg-center bg-no-repeat"
      >
        {starts.map((start, index) => (
          <Bar
            key={start}
            {...{ series, index, scale, highlighted }}
            isSelected={index === selected}
          />
        ))}
      </div>
      <Ticks starts={starts} interval={interval} />
    </div>
  )
}

interface BarProps {
  series: readonly UsageSeries[]
  index: number
  scale: number
  isSelected: boolean
  highlighted: string | null
}

/** Below this share of the plot's height, a line between two parts would hide the smaller one. */
const minSeparatedShare = 0.015

const Bar = memo(({ series, index, scale, isSelected, highlighted }: BarProps) => (
  <div
    className={classes(
      "flex h-full min-w-0 flex-1 flex-col-reverse items-center",
      isSelected && "bg-hover",
    )}
  >
    {series.map((one, position) => {
      const share = (one.values[index] ?? 0) / scale
      if (share === 0) return null
      return (
        <div
          key={one.id}
          className={classes(
            "w-4/5 max-w-12 shrink-0 transition-opacity last:rounded-t-[2px] forced-color-adjust-none",
            seriesColor(one, position),
            share > minSeparatedShare && position > 0 && "border-b border-bg",
            highlighted !== null && highlighted !== one.id && "opacity-20",
          )}
          style={{ height: `${share * 100}%`, minHeight: 1 }}
        />
      )
    })}
  </div>
))

const maxTicks = 7
/** Labels right of this share of the width would extend beyond the plot. */
const centeredShare = 0.92

/** Numbers of intervals that people count in. */
const tickSteps: Record<UsageInterval, readonly number[]> = {
  hour: [1, 2, 3, 4, 6, 8, 12],
  day: [1, 2, 7, 14, 28],
  month: [1, 2, 3, 6, 12, 24],
}

/** Positions of a few evenly spaced bars. */
const tickIndexes = (count: number, interval: UsageInterval): number[] => {
  const minStep = Math.ceil(count / maxTicks)
  const step = tickSteps[interval].find((one) => one >= minStep) ?? minStep
  return Array.from({ length: Math.ceil(count / step) }, (_, tick) => tick * step)
}

const Ticks = ({ starts, interval }: Pick<PlotProps, "starts" | "interval">) => (
  <div aria-hidden className="relative col-start-2 h-4 text-xs text-muted tabular">
    {tickIndexes(starts.length, interval).map((index, tick) => {
      const position = (index + 0.5) / starts.length
      return (
        <span
          key={index}
          className={classes(
            "absolute whitespace-nowrap",
            position > centeredShare ? "right-0" : "-translate-x-1/2",
            tick % 2 === 1 && "@max-[40rem]:hidden",
          )}
          style={position > centeredShare ? undefined : { left: `${position * 100}%` }}
        >
          {formatIntervalShort(starts[index] ?? 0, interval)}
        </span>
      )
    })}
  </div>
)
