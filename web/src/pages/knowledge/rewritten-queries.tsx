import type { RewritingReport } from "../../../../server/src/knowledge/rewriting/schema.ts"
import { t, translateServerText } from "../../i18n/translate.ts"
import { formatLanguage, formatNumber } from "../../lib/format.ts"

type RewrittenQuery = RewritingReport["queries"][number]

const kindOf = ({ kind, language }: RewrittenQuery): string =>
  language === null ? t(`rewriting.kind.${kind}`) : formatLanguage(language)

/** What became of rewriting a question, in one sentence or two. */
const explainOutcome = ({ outcome, model, duration_ms, cached, queries }: RewritingReport) => {
  if (outcome !== "used") {
    return t(`rewriting.outcome.${outcome}`, {
      model: model ?? "",
      seconds: formatNumber(duration_ms / 1000, 1),
    })
  }
  const isUnchanged = queries.length === 0
  const text = t(isUnchanged ? "rewriting.unchanged" : "rewriting.used", { model: model ?? "" })
  const time = cached
    ? t("rewriting.cached")
    : t("rewriting.duration", { seconds: formatNumber(duration_ms / 1000, 1) })
  return `${text} ${time}`
}

/** The queries that a model wrote for a question, or why there are none. */
export const RewrittenQueries = ({ report }: { report: RewritingReport }) => (
  <section className="flex flex-col gap-1 text-sm">
    <p className="text-muted tabular">
      {explainOutcome(report)}
      {report.error && ` ${translateServerText(report.error, report.error_reference)}`}
    </p>
    {report.queries.length > 0 && (
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1 rounded border border-line px-4 py-3">
        {report.queries.map((query) => (
          <div key={query.text} className="contents">
            <dt className="text-muted">{kindOf(query)}</dt>
            <dd className="break-words" lang={query.language ?? undefined}>
              {query.text}
            </dd>
          </div>
        ))}
      </dl>
    )}
  </section>
)
