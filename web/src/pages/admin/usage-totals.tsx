import type { UsageTotal } from "../../../../server/src/usage/schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"

const figures = [
  ["usage.requests", "requests"],
  ["usage.errors", "errors"],
  ["usage.tokensIn", "tokens_in"],
  ["usage.tokensOut", "tokens_out"],
] as const

/** Requests, errors, and tokens in total. */
export const UsageTotals = ({ items }: { items: readonly UsageTotal[] }) => (
  <dl className="grid grid-cols-2 gap-x-8 gap-y-2 wide:flex">
    {figures.map(([label, field]) => (
      <div key={field}>
        <dt className="text-xs text-muted">{t(label)}</dt>
        <dd className="text-lg font-semibold tabular">
          {formatNumber(items.reduce((sum, item) => sum + item[field], 0))}
        </dd>
      </div>
    ))}
  </dl>
)
