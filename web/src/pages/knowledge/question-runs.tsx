import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import type { QuestionRun, QuestionSetStatus } from "../../lib/question-api.ts"
import { classes } from "../../ui/classes.ts"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"

type Reach = Pick<QuestionRun, "reached" | "total">

const percentOf = ({ reached, total }: Reach): number => (total === 0 ? 0 : (reached / total) * 100)

const formatReach = (reach: Reach): string => `${formatNumber(percentOf(reach), 1)} %`

const formatMeanRank = ({ mean_rank }: QuestionRun): string =>
  mean_rank === null ? "–" : formatNumber(mean_rank, 1)

const formatReachOf = ({ reached, total }: Reach): string =>
  t("questions.reachOf", { reached: formatNumber(reached), total: formatNumber(total) })

/** The change of the share in percentage points; undefined if there is none to show. */
const changeOf = (run: QuestionRun, before: QuestionRun | undefined): string | undefined => {
  const points = before ? Math.round((percentOf(run) - percentOf(before)) * 10) / 10 : 0
  if (points === 0) return undefined
  const change = `${points > 0 ? "+" : "−"}${formatNumber(Math.abs(points), 1)}`
  return t("questions.points", { count: Math.abs(points), change })
}

/** Why it started, and whether its results are those of all questions and files. */
const describeRun = ({ reason, outcome }: QuestionRun): string => {
  const because = t(`questions.because.${reason}`)
  return outcome === "complete" ? because : `${because} · ${t(`questions.outcome.${outcome}`)}`
}

interface FigureProps {
  label: string
  value: ReactNode
  detail?: ReactNode
  danger?: boolean
}

const Figure = ({ label, value, detail, danger = false }: FigureProps) => (
  <div className="min-w-0">
    <dt className="text-xs text-muted">{label}</dt>
    <dd className={classes("text-lg font-semibold tabular", danger && "text-danger")}>{value}</dd>
    {detail && <dd className="text-xs text-muted tabular">{detail}</dd>}
  </div>
)

interface FiguresProps {
  status: QuestionSetStatus
  run: QuestionRun
  before: QuestionRun | undefined
}

/** Present states, which change with the questions, beside what the latest run found. */
const Figures = ({ status: { counts, total }, run, before }: FiguresProps) => (
  <dl className="grid grid-cols-2 gap-x-8 gap-y-3 wide:flex wide:gap-x-12">
    <Figure
      label={t("questions.reach")}
      value={formatReach({ reached: counts.reached, total })}
      detail={[formatReachOf({ reached: counts.reached, total }), changeOf(run, before)]
        .filter(Boolean)
        .join(" · ")}
    />
    <Figure
      label={t("questions.lost")}
      value={formatNumber(counts.lost)}
      danger={counts.lost > 0}
      detail={counts.lost > 0 && t("questions.gotWorseHelp")}
    />
    <Figure label={t("questions.meanRank")} value={formatMeanRank(run)} />
    <Figure
      label={t("questions.lastRun")}
      value={<Time at={run.finished_at} />}
      detail={describeRun(run)}
    />
  </dl>
)

const columns: () => Column<QuestionRun>[] = () => [
  {
    id: "time",
    header: t("questions.time"),
    grow: true,
    cell: ({ finished_at }) => <Time at={finished_at} />,
  },
  {
    id: "reason",
    header: t("questions.started"),
    cell: describeRun,
    belowName: "plain",
  },
  {
    id: "reach",
    header: t("questions.reach"),
    align: "right",
    cell: (run) => (run.outcome === "failed" ? "–" : `${formatReach(run)} (${formatReachOf(run)})`),
  },
  {
    id: "lost",
    header: t("questions.lost"),
    align: "right",
    cell: ({ lost, outcome }) => (outcome === "failed" ? "–" : formatNumber(lost)),
    belowName: "labeled",
  },
  {
    id: "rank",
    header: t("questions.meanRank"),
    align: "right",
    cell: formatMeanRank,
    belowName: "labeled",
  },
]

/** Whether a run is in progress or follows, with its progress. */
export const RunProgress = ({ status }: { status: QuestionSetStatus }) => {
  const { judged, total } = status
  const texts = {
    idle: "",
    scheduled: t("questions.scheduled"),
    waiting: t("questions.waitingForFiles"),
    running: t("questions.running", { judged, total }),
  }
  const text = texts[status.status]
  const hasFailed = status.status === "idle" && status.runs[0]?.outcome === "failed"
  return (
    <div role="status" className="flex flex-col gap-1 text-sm text-muted tabular empty:hidden">
      {text}
      {status.error && (
        <p className={classes(hasFailed && "text-danger")}>
          {hasFailed && `${t("questions.runFailed")} `}
          {t(`questions.error.${status.error}`)}
        </p>
      )}
      {status.status === "running" && (
        <progress
          aria-label={text}
          max={total}
          value={judged}
          className="upload-bar block h-1 w-full max-w-80"
        />
      )}
    </div>
  )
}

/** The figures of the latest run beside those of the run before it, and the history. */
export const QuestionRuns = ({ status }: { status: QuestionSetStatus }) => {
  const [latest, before] = status.runs.filter(({ outcome }) => outcome !== "failed")
  const earlier = status.runs.filter(({ id }) => id !== latest?.id)
  if (!latest) return null
  return (
    <>
      <Figures status={status} run={latest} before={before} />
      {earlier.length > 0 && (
        <details className="text-sm">
          <summary className="text-muted">{t("questions.history")}</summary>
          <div className="mt-2">
            <Table
              label={t("questions.history")}
              columns={columns()}
              items={earlier}
              idOf={({ id }) => id}
            />
          </div>
        </details>
      )}
    </>
  )
}
