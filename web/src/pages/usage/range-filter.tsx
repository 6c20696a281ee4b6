import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { daySeconds, formatUtcDay } from "../../lib/utc-days.ts"
import { Input } from "../../ui/field.tsx"
import { Filter } from "../../ui/toolbar.tsx"
import { type RangePreset, type RangeSearch, rangePresets, type UsageRange } from "./usage-range.ts"

interface RangeFilterProps {
  range: UsageRange
  onRange: (search: RangeSearch) => void
}

const presetLabel = (preset: RangePreset): string => {
  if (preset === "month") return t("usage.thisMonth")
  if (preset === "last-month") return t("usage.lastMonth")
  return t("label.lastDays", { count: Number(preset) })
}

/** The first and the last day of a range. */
const daysOf = ({ from, to }: UsageRange) => ({
  from: formatUtcDay(from),
  to: formatUtcDay(to - daySeconds),
})

/** Chooses a range by its name, or from one day to another. */
export const RangeFilter = ({ range, onRange }: RangeFilterProps) => (
  <>
    <Filter
      label={t("usage.range")}
      value={range.preset}
      onValue={(value) =>
        onRange(
          value === "custom"
            ? { range: undefined, ...daysOf(range) }
            : { range: value, from: undefined, to: undefined },
        )
      }
      options={[
        ...rangePresets.map((value) => ({ value, label: presetLabel(value) })),
        { value: "custom", label: t("usage.custom") },
      ]}
    />
    {range.preset === "custom" && (
      <CustomDays key={`${range.from} ${range.to}`} range={range} onRange={onRange} />
    )}
  </>
)

const CustomDays = ({ range, onRange }: RangeFilterProps) => {
  const [days, setDays] = useState(daysOf(range))
  // A date that is being typed is empty, or far in the past, in between.
  const apply = (): void => {
    if (days.from !== "" && days.to !== "") onRange(days)
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      {(["from", "to"] as const).map((name) => (
        <Input
          key={name}
          type="date"
          required
          aria-label={t(name === "from" ? "usage.firstDay" : "usage.lastDay")}
          min="2020-01-01"
          max={formatUtcDay(Date.now() / 1000)}
          value={days[name]}
          onChange={(event) => setDays({ ...days, [name]: event.target.value })}
          onBlur={apply}
          onKeyDown={(event) => {
            if (event.key === "Enter") apply()
          }}
          className="w-auto!"
        />
      ))}
    </div>
  )
}
