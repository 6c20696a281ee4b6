import { useMutation } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Search, SearchX } from "lucide-react"
import { type FormEvent, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { collectionApi, type Findings, type FoundPassage } from "../../lib/library-api.ts"
import { Badge } from "../../ui/badge.tsx"
import { Button } from "../../ui/button.tsx"
import { classes } from "../../ui/classes.ts"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Input, Select } from "../../ui/field.tsx"
import { placeOf } from "../chat/citations.ts"
import { useCollection } from "./collection.tsx"

const counts = [5, 10, 20, 50] as const

const Leg = ({ name, leg }: { name: string; leg: FoundPassage["lexical"] }) => (
  <span className="whitespace-nowrap">
    {name}:{" "}
    {leg
      ? t("playground.leg", { rank: leg.rank, score: formatNumber(leg.score, 3) })
      : t("playground.noLeg")}
  </span>
)

interface ResultProps {
  passage: FoundPassage
  rank: number
  dense: boolean
}

const Result = ({ passage, rank, dense }: ResultProps) => {
  const { file_id, filename, text, start, score, lexical, used } = passage
  const place = placeOf(passage)
  return (
    <li className={classes("border-b border-line p-4 last:border-0", !used && "bg-surface")}>
      <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
        <span className="text-sm font-semibold tabular">{rank}</span>
        <Link
          to="/knowledge/files/$fileId"
          params={{ fileId: file_id }}
          search={{ at: start }}
          className="min-w-0 text-sm font-medium break-words hover:underline"
        >
          {filename}
        </Link>
        {place && <span className="min-w-0 text-xs break-words text-muted">{place}</span>}
        <span className="ml-auto">
          <Badge tone={used ? "ok" : "plain"}>
            {t(used ? "playground.used" : "playground.cut")}
          </Badge>
        </span>
      </div>
      <p className="mt-1 flex flex-wrap gap-x-4 text-xs text-muted tabular">
        <span className="whitespace-nowrap">
          {t("playground.score", { score: formatNumber(score, 3) })}
        </span>
        <Leg name={t("playground.words")} leg={lexical} />
        {dense && <Leg name={t("playground.meaning")} leg={passage.dense} />}
        {passage.reranked && <Leg name={t("playground.reranked")} leg={passage.reranked} />}
      </p>
      <p className="mt-2 line-clamp-6 max-w-[80ch] text-sm break-words whitespace-pre-wrap">
        {text}
      </p>
    </li>
  )
}

const Results = ({ findings }: { findings: Findings }) => {
  const { passages, embedding_model: model, sources_skipped: skipped } = findings
  const used = passages.filter((passage) => passage.used).length
  return (
    <>
      <p role="status" className="text-sm text-muted">
        {t("playground.result", { used, all: passages.length })}{" "}
        {model ? t("playground.with", { model }) : t("playground.wordsOnly")}
      </p>
      {skipped.length > 0 && (
        <p className="text-sm text-muted">
          {t("sources.skipped", { count: skipped.length })}:{" "}
          {skipped.map(({ name }) => name).join(", ")}
        </p>
      )}
      {passages.length === 0 ? (
        <EmptyState icon={SearchX} title={t("playground.nothing")}>
          {t("playground.nothingHelp")}
        </EmptyState>
      ) : (
        <ol className="rounded border border-line">
          {passages.map((passage, index) => (
            <Result
              key={`${passage.file_id} ${passage.start}`}
              passage={passage}
              rank={index + 1}
              dense={model !== null}
            />
          ))}
        </ol>
      )}
    </>
  )
}

/** `/knowledge/$collectionId/search`: what a question finds, and why. */
export const PlaygroundPage = () => {
  const { query: collection } = useCollection()
  const id = collection.data?.id ?? ""
  const [question, setQuestion] = useState("")
  const [k, setK] = useState<string>("10")
  const search = useMutation({
    mutationFn: () => collectionApi.query(id, question, Number(k)),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (question.trim() !== "") search.mutate()
  }
  return (
    <>
      <p className="max-w-[60ch] text-sm text-muted">{t("playground.lead")}</p>
      <form onSubmit={submit} className="flex flex-wrap gap-2">
        <Input
          autoFocus
          aria-label={t("playground.question")}
          placeholder={t("playground.question")}
          value={question}
          onChange={({ target }) => setQuestion(target.value)}
          maxLength={10_000}
          className="min-w-0 flex-1 basis-60"
        />
        <Select
          aria-label={t("playground.count")}
          value={k}
          onValue={setK}
          options={counts.map((count) => ({
            value: String(count),
            label: t("playground.most", { count }),
          }))}
          className="w-auto!"
        />
        <Button
          type="submit"
          look="primary"
          icon={Search}
          busy={search.isPending}
          disabled={question.trim() === ""}
        >
          {t("playground.search")}
        </Button>
      </form>
      {search.error && <ErrorNote error={search.error} />}
      {search.data && <Results findings={search.data} />}
    </>
  )
}
