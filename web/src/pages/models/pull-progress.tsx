import { t } from "../../i18n/translate.ts"
import { formatBytes } from "../../lib/format.ts"
import { ErrorNote } from "../../ui/error-note.tsx"
import type { PullState, PullStep } from "./use-pull.ts"

const Progress = ({ name, step }: { name: string; step: PullStep }) => {
  const { status = "", total, completed = 0 } = step
  const share = total ? Math.min(1, completed / total) : undefined
  return (
    <div className="flex flex-col gap-1.5">
      <progress
        aria-label={t("runtime.pulling", { name })}
        value={share}
        max={1}
        className="h-1.5 w-full overflow-hidden rounded-full accent-accent"
      />
      <p className="flex justify-between gap-4 text-xs text-muted tabular">
        <span className="truncate">{status || t("runtime.pulling", { name })}</span>
        {total !== undefined && (
          <span className="shrink-0">
            {formatBytes(completed)} / {formatBytes(total)} · {Math.floor((share ?? 0) * 100)} %
          </span>
        )}
      </p>
    </div>
  )
}

/** The progress or error of a pull; nothing before and after it. */
export const PullProgress = ({ state }: { state: PullState }) => {
  if (state.at === "running") return <Progress name={state.name} step={state.step} />
  if (state.at === "failed") return <ErrorNote error={state.error} />
  return null
}
