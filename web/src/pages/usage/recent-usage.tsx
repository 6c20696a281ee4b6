import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import { t } from "../../i18n/translate.ts"
import { usageQuery } from "../../lib/queries.ts"
import { lastDays } from "../../lib/utc-days.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { DefinitionList, Section } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import type { FilterName } from "./usage-grouping.ts"
import { formatMeasure, formatUsageCost, measureLabels, sumUsage } from "./usage-measures.ts"

const days = 30
const figures = ["requests", "tokens_in", "tokens_out"] as const

/** What somebody or something used lately, for administrators, with a link to the usage page. */
export const RecentUsage = ({ filter, id }: { filter: FilterName; id: string }) => {
  const range = useMemo(() => lastDays(days), [])
  const usage = useQuery(usageQuery({ ...range, group_by: "none", [filter]: id }))
  return (
    <Section
      title={t("usage.recent", { count: days })}
      action={
        <ButtonLink to="/admin/usage" search={{ [filter]: id }}>
          {t("overview.allUsage")}
        </ButtonLink>
      }
    >
      <QueryResult query={usage} rows={4}>
        {({ items }) => {
          const sums = sumUsage(items)
          return (
            <DefinitionList
              rows={[
                [t("usage.cost"), formatUsageCost(sums)],
                ...figures.map(
                  (name) => [t(measureLabels[name]), formatMeasure(name, sums[name])] as const,
                ),
              ]}
            />
          )
        }}
      </QueryResult>
    </Section>
  )
}
