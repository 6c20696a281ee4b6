import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import type { CollectionQuestion, QuestionState } from "../../lib/question-api.ts"
import { Status } from "../../ui/badge.tsx"

const tones = {
  unjudged: "plain",
  reached: "ok",
  lost: "danger",
  missed: "plain",
  undecided: "warn",
} as const satisfies Record<QuestionState, string>

/** Whether the passage reaches the model, and if not, why. */
export const QuestionStateCell = ({ state, result }: CollectionQuestion) => (
  <span className="inline-flex flex-col">
    <Status tone={tones[state]}>{t(`questions.state.${state}`)}</Status>
    {result?.reason && (
      <span className="text-xs whitespace-normal text-muted">
        {t(`questions.reason.${result.reason}`)}
      </span>
    )}
  </span>
)

/** The rank of the passage, and in the run before if it differs. */
export const formatRank = ({ result, result_before }: CollectionQuestion): string => {
  if (!result) return "–"
  if (result.rank === null) return result.reached ? t("questions.rankWhole") : "–"
  const rank = formatNumber(result.rank)
  const before = result_before?.rank ?? null
  if (before === null || before === result.rank) return rank
  return t("questions.rankBefore", { rank, before: formatNumber(before) })
}

/** Filters a list of questions by state. */
export const questionStateFilter = () => ({
  name: "state" as const,
  label: t("label.status"),
  options: [
    { value: "", label: t("label.anyStatus") },
    ...(["lost", "missed", "undecided", "reached", "unjudged"] as const).map((value) => ({
      value,
      label: t(`questions.state.${value}`),
    })),
  ],
})
