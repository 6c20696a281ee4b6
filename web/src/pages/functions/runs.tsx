import { useQuery } from "@tanstack/react-query"
import { ChevronRight, ListTree } from "lucide-react"
import { useId, useState } from "react"
import type { FunctionRun } from "../../../../server/src/functions/run-schema.ts"
import { t } from "../../i18n/translate.ts"
import { Badge } from "../../ui/badge.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { SwitchField } from "../../ui/switch.tsx"
import { Time } from "../../ui/time.tsx"
import { usePrincipalName } from "../grants/principals.ts"
import { runsQuery } from "./function-queries.ts"
import { OpenCodeLink } from "./open-code-link.tsx"
import { LogView, RunResultView } from "./trial-view.tsx"
import { useFunction } from "./use-function.ts"

const failed = ({ outcome }: FunctionRun): boolean => outcome !== "ok" && outcome !== "cancelled"

/** The latest runs with their logs. */
export const RunsPart = () => {
  const { id } = useFunction()
  const runs = useQuery(runsQuery(id))
  const [onlyFailed, setOnlyFailed] = useState(false)
  return (
    <QueryResult query={runs} rows={6}>
      {(all) =>
        all.length === 0 ? (
          <EmptyState icon={ListTree} title={t("runs.none")} action={<OpenCodeLink />}>
            {t("runs.noneHelp")}
          </EmptyState>
        ) : (
          <>
            <div className="flex flex-wrap items-center justify-between gap-4">
              <p className="text-sm text-muted">{t("runs.lead")}</p>
              <SwitchField label={t("runs.errors")} checked={onlyFailed} onValue={setOnlyFailed} />
            </div>
            <Rows runs={all.filter((run) => !onlyFailed || failed(run))} />
          </>
        )
      }
    </QueryResult>
  )
}

const Rows = ({ runs }: { runs: readonly FunctionRun[] }) =>
  runs.length === 0 ? (
    <EmptyState icon={ListTree} title={t("runs.noneFailed")} />
  ) : (
    <ul aria-label={t("functions.runs")} className="rounded border border-line">
      {runs.map((run) => (
        <Row key={run.id} run={run} />
      ))}
    </ul>
  )

const UserName = ({ id }: { id: string }) =>
  usePrincipalName({ principal_type: "user", principal_id: id })

const Row = ({ run }: { run: FunctionRun }) => {
  const id = useId()
  return (
    <li className="border-b border-line last:border-0">
      <details className="group">
        <summary className="flex list-none items-start gap-x-3 px-4 py-2.5 text-sm -outline-offset-2 hover:bg-surface">
          <ChevronRight
            aria-hidden
            className="mt-0.5 size-4 shrink-0 text-muted group-open:rotate-90"
          />
          <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-4 gap-y-1">
            <span className="min-w-0 flex-1 basis-48">
              <RunResultView result={run} />
            </span>
            <span className="flex max-w-full flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
              <Time at={run.created_at} />
              <span>{t("versions.one", { version: run.version })}</span>
              <span className="max-w-40 truncate">
                {run.user_id === "" ? t("serviceKeys.defaultName") : <UserName id={run.user_id} />}
              </span>
              {run.trial && <Badge>{t("runs.trial")}</Badge>}
            </span>
          </span>
        </summary>
        <div className="px-4 pb-3">
          <span id={id} className="sr-only">
            {t("run.log")}
          </span>
          <LogView labelledBy={id} log={run.log} />
        </div>
      </details>
    </li>
  )
}
