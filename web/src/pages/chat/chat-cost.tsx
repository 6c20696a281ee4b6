import { t } from "../../i18n/translate.ts"
import type { ChatWithMessages } from "../../lib/chat-api.ts"
import { formatCost } from "../../lib/format-cost.ts"
import { usePageSession } from "../../lib/session.ts"
import { type ChatCosts, sumCosts } from "../../lib/sum-costs.ts"

const unknownText = ({ unknown }: ChatCosts): string =>
  unknown === 0 ? "" : t("chat.costUnknown", { count: unknown })

/** What a chat has cost, in its header; there is no room for it on a narrow page. */
export const ChatCost = ({ chat }: { chat: ChatWithMessages }) => {
  const { show_cost } = usePageSession()
  const costs = sumCosts(chat.messages)
  if (!show_cost || costs.cost === null) return null
  const label = t("chat.cost")
  return (
    <span
      title={[label, unknownText(costs)].filter(Boolean).join(". ")}
      className="px-2 text-xs text-muted tabular max-wide:hidden"
    >
      <span className="sr-only">{label}: </span>
      {formatCost(costs.cost)}
    </span>
  )
}

/** The same with an explanation, in the pane of the chat. */
export const ChatCostSection = ({ chat }: { chat: ChatWithMessages }) => {
  const { show_cost } = usePageSession()
  const costs = sumCosts(chat.messages)
  if (!show_cost || (costs.cost === null && costs.unknown === 0)) return null
  return (
    <section className="flex flex-col gap-1 border-t border-line pt-4">
      <h3 className="flex justify-between gap-2 text-sm font-medium">
        {t("chat.cost")}
        <span className="tabular">{costs.cost === null ? "–" : formatCost(costs.cost)}</span>
      </h3>
      <p className="text-xs text-muted">
        {t("chat.costHelp")} {unknownText(costs)}
      </p>
    </section>
  )
}
