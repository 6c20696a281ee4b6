import { useQuery } from "@tanstack/react-query"
import { t } from "../../i18n/translate.ts"
import { usageQuery } from "../../lib/queries.ts"
import { FilterChip } from "../../ui/filter-chip.tsx"
import {
  type Dimension,
  dimensionLabels,
  dimensions,
  type FilterName,
  filterNames,
} from "./usage-grouping.ts"
import { useUsageNames } from "./usage-name.tsx"

interface UsageFiltersProps {
  filters: Partial<Record<FilterName, string>>
  onRemove: (name: FilterName) => void
}

/** The filters of the address, which can be removed. */
export const UsageFilters = ({ filters, onRemove }: UsageFiltersProps) =>
  dimensions.map((dimension) => {
    const name = filterNames[dimension]
    const id = filters[name]
    if (id === undefined) return null
    return <Chip key={name} dimension={dimension} id={id} onRemove={() => onRemove(name)} />
  })

interface ChipProps {
  dimension: Dimension
  id: string
  onRemove: () => void
}

/** Those that have a name, which totals come with. */
const namedDimensions = new Set<Dimension>(["user", "group", "key"])

const Chip = ({ dimension, id, onRemove }: ChipProps) => {
  const nameOf = useUsageNames(dimension)
  const isNamed = namedDimensions.has(dimension)
  const { data } = useQuery({
    // Of all time, so that a name is found for a range without usage, too.
    ...usageQuery({ from: 0, group_by: dimension, [filterNames[dimension]]: id }),
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
