import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { t } from "../../i18n/translate.ts"
import { classes } from "../../ui/classes.ts"
import { useRecentModels } from "./chat-models.ts"

interface Starter {
  label: string
  text: string
}

const generalStarters = [
  ["composer.starterSummary", "composer.starterSummaryText"],
  ["composer.starterEmail", "composer.starterEmailText"],
  ["composer.starterExplain", "composer.starterExplainText"],
  ["composer.starterPlan", "composer.starterPlanText"],
] as const

/** The model's own starters, or general ones. */
const startersOf = (model: ModelRecord | undefined): Starter[] => {
  const own = model?.starters ?? []
  if (own.length > 0) return own.map((text) => ({ label: text, text }))
  return generalStarters.map(([label, text]) => ({ label: t(label), text: t(text) }))
}

interface StartSuggestionsProps {
  models: readonly ModelRecord[]
  chosen: readonly string[]
  onChosen: (ids: string[]) => void
  onStarter: (text: string) => void
}

/** Below the composer of an empty chat: ways to begin, and the models used last. */
export const StartSuggestions = (props: StartSuggestionsProps) => {
  const { models, chosen, onChosen, onStarter } = props
  const recent = useRecentModels(models)
  const starters = startersOf(models.find(({ id }) => id === chosen[0]))
  return (
    <div className="min-h-0 flex-[56_1_0] overflow-y-auto">
      {chosen.length > 0 && (
        <div className="mx-auto flex w-full max-w-[49rem] flex-col gap-4 px-3 pb-4 wide:px-4">
          <ul aria-label={t("composer.starters")} className="grid gap-2 sm:grid-cols-2">
            {starters.map(({ label, text }) => (
              <li key={label}>
                <button
                  type="button"
                  onClick={() => onStarter(text)}
                  className="h-full w-full rounded border border-line px-3 py-2 text-left text-sm text-muted transition-colors hover:bg-hover hover:text-text"
                >
                  <span className="line-clamp-2">{label}</span>
                </button>
              </li>
            ))}
          </ul>
          {recent.length > 1 && (
            <div className="flex flex-wrap items-center justify-center gap-1.5">
              <h2 id="recent-models" className="text-xs text-muted">
                {t("composer.recentModels")}
              </h2>
              <ul aria-labelledby="recent-models" className="flex min-w-0 flex-wrap gap-1.5">
                {recent.map(({ id, name }) => {
                  const isChosen = chosen.length === 1 && chosen[0] === id
                  return (
                    <li key={id} className="min-w-0">
                      <button
                        type="button"
                        aria-pressed={isChosen}
                        onClick={() => onChosen([id])}
                        className={classes(
                          "max-w-full truncate rounded-full border px-2.5 py-1 text-xs transition-colors hover:bg-hover",
                          isChosen ? "border-accent bg-accent-soft text-accent" : "border-line",
                        )}
                      >
                        {name}
                      </button>
                    </li>
                  )
                })}
              </ul>
            </div>
          )}
        </div>
      )}
    </div>
  )
}
