import { useQuery } from "@tanstack/react-query"
import {
  fieldByDimension,
  type UsageDimension,
  usageDimensions,
} from "../../../../server/src/usage/dimensions.ts"
import { t } from "../../i18n/translate.ts"
import { usageQuery } from "../../lib/queries.ts"
import { FilterChip } from "../../ui/filter-chip.tsx"
import { dimensionLabels, type FilterName } from "./usage-grouping.ts"
import { useUsageNames } from "./usage-name.tsx"

interface UsageFiltersProps {
  filters: Partial<Record<FilterName, string>>
  onRemove: (name: FilterName) => void
}

/** The filters of the address, which can be removed. */
export const UsageFilters = ({ filters, onRemove }: UsageFiltersProps) =>
  usageDimensions.map((dimension) => {
    const name = fieldByDimension[dimension]
    const id = filters[name]
    if (id === undefined) return null
    return <Chip key={name} dimension={dimension} id={id} onRemove={() => onRemove(name)} />
  })

interface ChipProps {
  dimension: UsageDimension
  id: string
  onRemove: () => void
}

/** Those that have a name, which totals come with. */
const namedDimensions = new Set<UsageDimension>(["user", "group", "key"])

const Chip = ({ dimension, id, onRemove }: ChipProps) => {
  const nameOf = useUsageNames(dimension)
  const isNamed = namedDimensions.has(dimension)
  const { data } = useQuery({
    // Of all time, so that a name is found for a range without usage, too.
    ...usageQuery({ from: 0, group_by: dimension, [fieldByDimension[dimension]]: id }),
    enabled: isNamed,
  })
  const item = data?.items.find(({ key }) => key === id)
  const name = isNamed ? (item?.name ?? id) : nameOf({ key: id, name: null, is_rest: false })
  return (
    <FilterChip onRemove={onRemove}>
      {t("usage.filter", { dimension: t(dimensionLabels[dimension]), name })}
    </FilterChip>
  )
}
