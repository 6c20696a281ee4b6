import type { LogLine, RunResult } from "../../../../server/src/functions/run-schema.ts"
import { t } from "../../i18n/translate.ts"
import { formatBytes, formatDuration } from "../../lib/format.ts"
import { classes } from "../../ui/classes.ts"
import { RunOutcome } from "./run-outcome.tsx"
import type { Trial } from "./use-trial-run.ts"

type OnLocation = (line: number | null, column: number | null) => void

interface TrialViewProps {
  id: string
  trial: Trial
  /** Shown until there is a result. */
  state: "running" | "cancelled" | null
  onLocation: OnLocation
}

/** The output, log, and result of a trial run. */
export const TrialView = ({ id, trial, state, onLocation }: TrialViewProps) => (
  <div className="flex min-w-0 flex-col gap-3">
    <TrialSection id={`${id}-output`} title={t("run.output")}>
      <div
        role="log"
        aria-labelledby={`${id}-output`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
        tabIndex={0}
        className="max-h-80 min-h-12 overflow-y-auto rounded border border-line bg-bg p-3 text-sm break-words whitespace-pre-wrap"
      >
        {trial.reasoning && <p className="mb-2 text-xs text-muted">{trial.reasoning}</p>}
        {trial.output || (state === "running" ? "…" : "")}
        {trial.others.map((other, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are only appended
          <code key={index} className="mt-1 block text-xs text-muted">
            {other}
          </code>
        ))}
      </div>
    </TrialSection>
    {trial.sources.length > 0 && (
      <TrialSection id={`${id}-sources`} title={t("label.sources")}>
        <ol className="list-inside list-decimal text-sm">
          {trial.sources.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: one document may be cited twice
            <li key={index}>{name}</li>
          ))}
        </ol>
      </TrialSection>
    )}
    {trial.result ? (
      <RunResultView result={trial.result} onLocation={onLocation} />
    ) : (
      state && <RunOutcome result={state} />
    )}
    <TrialSection id={`${id}-log`} title={t("run.log")}>
      <LogView labelledBy={`${id}-log`} log={trial.log} onLocation={onLocation} />
    </TrialSection>
  </div>
)

const TrialSection = ({
  id,
  title,
  children,
}: {
  id: string
  title: string
  children: React.ReactNode
}) => (
  <section className="flex min-w-0 flex-col gap-1.5">
    <h3 id={id} className="text-sm font-medium">
      {title}
    </h3>
    {children}
  </section>
)

export const RunResultView = ({
  result,
  onLocation,
}: {
  result: RunResult
  onLocation?: OnLocation
}) => (
  <div role="status" className="flex flex-col gap-2 text-sm">
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <RunOutcome result={result.outcome} />
      <RunFigures result={result} />
    </div>
    {result.message && (
      <p className="text-sm break-words text-danger">
        {result.message}{" "}
        {result.line !== null && (
          <SourceLine {...result} line={result.line} onLocation={onLocation} />
        )}
      </p>
    )}
  </div>
)

const RunFigures = ({ result }: { result: RunResult }) => {
  const figures: [string, string][] = [
    ...(result.first_output_ms === null
      ? []
      : [[t("run.first"), formatDuration(result.first_output_ms)] satisfies [string, string]]),
    [t("run.time"), formatDuration(result.duration_ms)],
    [t("run.work"), formatDuration(result.cpu_ms)],
    [t("label.memory"), formatBytes(result.memory_bytes)],
  ]
  return (
    <dl className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted tabular">
      {figures.map(([label, value]) => (
        <div key={label} className="flex gap-1">
          <dt>{label}</dt>
          <dd className="text-text">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface SourceLineProps {
  line: number
  column?: number | null
  onLocation: OnLocation | undefined
}

/** A line of the function's source; a link if the editor is on the page. */
const SourceLine = ({ line, column = null, onLocation }: SourceLineProps) =>
  onLocation ? (
    <button
      type="button"
      onClick={() => onLocation(line, column)}
      className="rounded-sm text-xs whitespace-nowrap text-muted underline underline-offset-2 hover:text-text"
    >
      {t("run.line", { line })}
    </button>
  ) : (
    <span className="text-xs whitespace-nowrap text-muted">{t("run.line", { line })}</span>
  )

interface LogViewProps {
  labelledBy: string
  log: readonly LogLine[]
  onLocation?: OnLocation
}

export const LogView = ({ labelledBy, log, onLocation }: LogViewProps) => {
  if (log.length === 0) return <p className="text-xs text-muted">{t("run.logNone")}</p>
  return (
    <div
      role="log"
      aria-labelledby={labelledBy}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable areas must be reachable by keyboard
      tabIndex={0}
      className="max-h-60 overflow-auto rounded border border-line bg-bg p-2 font-mono text-xs"
    >
      {log.map(({ level, text, line, at_ms }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are only appended
        <p key={index} className="flex gap-2">
          <span className="shrink-0 text-muted tabular">{formatDuration(at_ms)}</span>
          <span
            className={classes(
              "min-w-0 flex-1 break-words whitespace-pre-wrap",
              level === "error" && "text-danger",
              level === "warn" && "text-warn",
              level === "debug" && "text-muted",
            )}
          >
            {text}
          </span>
          {line !== null && <SourceLine line={line} onLocation={onLocation} />}
        </p>
      ))}
    </div>
  )
}
