import { t } from "../i18n/translate.ts"
import { formatDay } from "./format.ts"

interface EndOfLife {
  /** The first day on which the provider may refuse the model. */
  end_of_life?: string | undefined
  successor?: string | undefined
}

const dayMs = 86_400_000
const soonDays = 90

/** Whether a model has ended, or will within three months. */
export const endsSoon = ({ end_of_life }: EndOfLife, nowMs = Date.now()): boolean =>
  end_of_life !== undefined && Date.parse(end_of_life) - nowMs < soonDays * dayMs

/** "Ends Mar 1, 2027; use gpt-6"; undefined if no end is known. */
export const describeEndOfLife = (
  { end_of_life, successor }: EndOfLife,
  nowMs = Date.now(),
): string | undefined => {
  if (end_of_life === undefined) return undefined
  const hasEnded = Date.parse(end_of_life) <= nowMs
  const end = t(hasEnded ? "models.ended" : "models.ends", { day: formatDay(end_of_life) })
  return successor === undefined ? end : t("models.useInstead", { end, successor })
}
