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
    {range.preset === "custom" && <CustomDays range={range} onRange={onRange} />}
  </>
)

const CustomDays = ({ range, onRange }: RangeFilterProps) => {
  const days = daysOf(range)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <DayInput
        label={t("usage.firstDay")}
        day={days.from}
        onDay={(from) => onRange({ ...days, from })}
      />
      <DayInput label={t("usage.lastDay")} day={days.to} onDay={(to) => onRange({ ...days, to })} />
    </div>
  )
}

interface DayInputProps {
  label: string
  /** Such as `2026-01-31`. */
  day: string
  onDay: (day: string) => void
}

const DayInput = ({ label, day, onDay }: DayInputProps) => {
  // A date that is being typed is empty, or of the year 2, in between.
  const [draft, setDraft] = useState<string | null>(null)
  return (
    <Input
      type="date"
      required
      aria-label={label}
      min="2020-01-01"
      max={formatUtcDay(Date.now() / 1000)}
      value={draft ?? day}
      onChange={({ target }) => {
        setDraft(target.validity.valid ? null : target.value)
        if (target.validity.valid) onDay(target.value)
      }}
      onBlur={() => setDraft(null)}
      className="w-auto!"
    />
  )
}
