import { t } from "../../i18n/translate.ts"
import type { Message } from "../../lib/chat-api.ts"
import { formatDuration, formatNumber } from "../../lib/format.ts"
import { formatCost } from "../../lib/format-cost.ts"
import { usePageSession } from "../../lib/session.ts"

const tokensText = ({ tokens_out, estimated }: Message): string =>
  tokens_out === null
    ? ""
    : t(estimated ? "chat.tokensEstimated" : "chat.tokens", { count: tokens_out })

/** Duration, and cost or tokens: what a comparison needs. */
const summaryParts = (message: Message, cost: string): string[] => {
  const { duration_ms } = message
  const time = duration_ms === null ? "" : formatDuration(duration_ms)
  return [time, cost || tokensText(message)]
}

/** Tokens, time to first token, and speed, as far as known. */
const speedParts = (message: Message): string[] => {
  const { tokens_out, time_to_first_token_ms: first, duration_ms } = message
  const parts = [tokensText(message)]
  if (first !== null) parts.push(t("chat.firstToken", { time: formatDuration(first) }))
  if (tokens_out && first !== null && duration_ms !== null && duration_ms > first) {
    const speed = formatNumber((tokens_out / (duration_ms - first)) * 1000)
    parts.push(t("chat.speed", { speed }))
  }
  return parts
}

const tokenParts = ({ tokens_in, tokens_out }: Message): string[] => [
  tokens_in === null ? "" : t("answer.tokensIn", { count: tokens_in }),
  tokens_out === null ? "" : t("answer.tokensOut", { count: tokens_out }),
]

const join = (parts: readonly string[]): string => parts.filter(Boolean).join(" · ")

const useCostText = ({ cost }: Message): string => {
  const { show_cost } = usePageSession()
  return show_cost && cost !== null ? formatCost(cost) : ""
}

interface AnswerStatsProps {
  message: Message
  className: string
}

/** What an answer took, below it. */
export const AnswerStats = ({ message, className }: AnswerStatsProps) => {
  const cost = useCostText(message)
  const text = join([...speedParts(message), cost])
  if (text === "") return null
  return (
    <span title={join(tokenParts(message))} className={className}>
      {text}
    </span>
  )
}

/** The same in short, above an answer beside others. */
export const ShortAnswerStats = ({ message, className }: AnswerStatsProps) => {
  const cost = useCostText(message)
  const title = join([...tokenParts(message), ...speedParts(message).slice(1)])
  return (
    <span title={title} className={className}>
      {join(summaryParts(message, cost))}
    </span>
  )
}
