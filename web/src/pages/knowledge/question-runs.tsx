import type { ReactNode } from "react"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import type { QuestionRun, QuestionSetStatus } from "../../lib/question-api.ts"
import { classes } from "../../ui/classes.ts"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"

const percentOf = ({ reached, total }: QuestionRun): number =>
  total === 0 ? 0 : Math.round((reached / total) * 100)

const formatReach = (run: QuestionRun): string => `${formatNumber(percentOf(run))} %`

const formatMeanRank = ({ mean_rank }: QuestionRun): string =>
  mean_rank === null ? "–" : formatNumber(mean_rank, 1)

const formatReachOf = ({ reached, total }: QuestionRun): string =>
  t("questions.reachOf", { reached: formatNumber(reached), total: formatNumber(total) })

/** The change of the share in percentage points; undefined if there is none to show. */
const changeOf = (run: QuestionRun, before: QuestionRun | undefined): string | undefined => {
  const points = before ? percentOf(run) - percentOf(before) : 0
  if (points === 0) return undefined
  const change = `${points > 0 ? "+" : "−"}${formatNumber(Math.abs(points))}`
  return t("questions.points", { count: Math.abs(points), change })
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

const Figures = ({ run, before }: { run: QuestionRun; before: QuestionRun | undefined }) => (
  <dl className="grid grid-cols-2 gap-x-8 gap-y-3 wide:flex wide:gap-x-12">
    <Figure
      label={t("questions.reach")}
      value={formatReach(run)}
      detail={[formatReachOf(run), changeOf(run, before)].filter(Boolean).join(" · ")}
    />
    <Figure
      label={t("questions.lost")}
      value={formatNumber(run.lost)}
      danger={run.lost > 0}
      detail={run.lost > 0 && t("questions.gotWorseHelp")}
    />
    <Figure label={t("questions.meanRank")} value={formatMeanRank(run)} />
    <Figure
      label={t("questions.lastRun")}
      value={<Time at={run.finished_at} />}
      detail={t(`questions.because.${run.reason}`)}
    />
  </dl>
)

const columns: () => Column<QuestionRun>[] = () => [
  {
    id: "time",
    header: t("questions.lastRun"),
    grow: true,
    cell: ({ finished_at }) => <Time at={finished_at} />,
  },
  {
    id: "reason",
    header: t("questions.started"),
    cell: ({ reason }) => t(`questions.because.${reason}`),
    belowName: "plain",
  },
  {
    id: "reach",
    header: t("questions.reach"),
    align: "right",
    cell: (run) => `${formatReach(run)} (${formatReachOf(run)})`,
  },
  {
    id: "lost",
    header: t("questions.lost"),
    align: "right",
    cell: ({ lost }) => formatNumber(lost),
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
  return (
    <div role="status" className="flex flex-col gap-1 text-sm text-muted tabular empty:hidden">
      {text}
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
export const QuestionRuns = ({ runs }: { runs: readonly QuestionRun[] }) => {
  const [latest, ...earlier] = runs
  if (!latest) return null
  return (
    <>
      <Figures run={latest} before={earlier[0]} />
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
