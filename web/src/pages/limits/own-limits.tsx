import { useQuery } from "@tanstack/react-query"
import type { OwnLimit } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { ownLimitsQuery } from "../../lib/limit-queries.ts"
import { usePageSession } from "../../lib/session.ts"
import { Badge } from "../../ui/badge.tsx"
import { Card, Section } from "../../ui/page.tsx"
import { LimitBadges, LimitShare, LimitState } from "./limit-state.tsx"
import { describeKind, describeLimit, describeTarget } from "./limit-text.ts"

/** The limits on the user's requests; nothing if there are none. */
export const OwnLimits = () => {
  const { data } = useQuery(ownLimitsQuery)
  if (!data || data.items.length === 0) return null
  return (
    <Section title={t("label.limits")} lead={t("limits.ownLead")}>
      {data.items.map((limit) => (
        <OwnLimitCard key={limit.id} limit={limit} />
      ))}
    </Section>
  )
}

const targetOf = (limit: OwnLimit): string =>
  limit.target.type === "user" ? t("limits.you") : describeTarget(limit)

/** With amounts, unless others share it or costs are hidden. */
const OwnLimitCard = ({ limit }: { limit: OwnLimit }) => {
  const { show_cost } = usePageSession()
  const { amount, spent, reserved, metric } = limit
  const isVisible = show_cost || metric !== "cost"
  const state =
    amount === null || spent === null || reserved === null || !isVisible
      ? null
      : { ...limit, amount, spent, reserved }
  return (
    <Card className="flex flex-col gap-3">
      <div className="flex min-w-0 flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium">
          {state ? describeLimit(state) : describeKind(limit)}
        </h3>
        <Badge>
          <span className="truncate">{targetOf(limit)}</span>
        </Badge>
        {state && <LimitBadges {...state} />}
      </div>
      {state ? (
        <LimitState {...state} />
      ) : (
        <LimitShare
          {...limit}
          text={t("limits.usedPart", { part: formatNumber(limit.used * 100) })}
        />
      )}
    </Card>
  )
}
