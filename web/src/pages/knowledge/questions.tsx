import { useMutation, useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { ListChecks, Play, Plus } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { maxQuestionLength } from "../../lib/knowledge-search-params.ts"
import { invalidateQueries } from "../../lib/query-client.ts"
import {
  type CollectionQuestion,
  type QuestionSetFile,
  type QuestionSetStatus,
  questionApi,
  questionSetStatusQuery,
  questionsQuery,
} from "../../lib/question-api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { ImportExportMenu, parseExport } from "../../ui/import-export-menu.tsx"
import { List } from "../../ui/list.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, NameCell } from "../../ui/table.tsx"
import { useCollection } from "./collection.tsx"
import { QuestionActions } from "./question-actions.tsx"
import { emptyQuestion, QuestionDialog } from "./question-dialog.tsx"
import { QuestionRuns, RunProgress } from "./question-runs.tsx"
import { formatRank, QuestionStateCell, questionStateFilter } from "./question-state.tsx"

interface CollectionProps {
  collectionId: string
  writable: boolean
}

const detailOf = ({ previous, filename, quotation, note }: CollectionQuestion): string =>
  [previous, filename, quotation && t("questions.quoted", { quotation }), note]
    .filter(Boolean)
    .join(" · ")

/** The question, which leads to what it finds now. */
const QuestionCell = ({ collectionId, row }: { collectionId: string; row: CollectionQuestion }) => (
  <NameCell detail={detailOf(row)}>
    <Link
      to="/knowledge/$collectionId/search"
      params={{ collectionId }}
      className="line-clamp-2 whitespace-normal"
      search={{
        q: row.question.slice(0, maxQuestionLength),
        previous: row.previous.slice(0, maxQuestionLength) || undefined,
      }}
    >
      {row.question}
    </Link>
  </NameCell>
)

const columns = (props: CollectionProps): Column<CollectionQuestion>[] => [
  {
    id: "question",
    header: t("questions.question"),
    grow: true,
    cell: (row) => <QuestionCell collectionId={props.collectionId} row={row} />,
  },
  { id: "state", header: t("label.status"), cell: QuestionStateCell, belowName: "plain" },
  {
    id: "rank",
    header: t("questions.rank"),
    align: "right",
    cell: formatRank,
    belowName: "labeled",
  },
  {
    id: "actions",
    header: "",
    align: "right",
    cell: (question) => <QuestionActions {...props} question={question} />,
  },
]

const parseFile = async (file: File): Promise<QuestionSetFile> => {
  const wrap = (questions: QuestionSetFile["questions"]) => ({ questions })
  return parseExport(await file.text(), wrap, t("questions.importWrong"))
}

const AddQuestion = ({ collectionId }: { collectionId: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="primary" icon={Plus} onClick={() => setOpen(true)}>
        {t("questions.add")}
      </Button>
      {isOpen && (
        <QuestionDialog
          collectionId={collectionId}
          title={t("questions.add")}
          action={t("questions.add")}
          initial={emptyQuestion}
          save={(values) => questionApi.create(collectionId, values)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}

const Actions = ({ collectionId, status }: { collectionId: string; status: QuestionSetStatus }) => {
  const run = useMutation({
    mutationFn: () => questionApi.run(collectionId),
    onSuccess: () => invalidateQueries([["collections"]]),
  })
  return (
    <div className="flex flex-wrap items-start gap-2">
      <AddQuestion collectionId={collectionId} />
      <Button
        icon={Play}
        busy={run.isPending || status.status === "running"}
        disabled={status.total === 0}
        onClick={() => run.mutate()}
      >
        {t("questions.run")}
      </Button>
      <ImportExportMenu
        fileName="questions.json"
        exportAll={() => questionApi.exportAll(collectionId)}
        accept="application/json,.json"
        parseFile={parseFile}
        importAll={(body) => questionApi.importAll(collectionId, body)}
        invalidates={[["collections"]]}
      />
      {run.error && <ErrorNote error={run.error} />}
    </div>
  )
}

const QuestionList = ({ collectionId, writable }: CollectionProps) => {
  const list = useListSearch<"state">({ page_size: 50 })
  const questions = useQuery(questionsQuery(collectionId, list.params))
  return (
    <List
      label={t("questions.title")}
      list={list}
      result={questions}
      searchLabel={t("questions.search")}
      filters={[questionStateFilter()]}
      columns={columns({ collectionId, writable })}
      icon={ListChecks}
      none={{
        title: t("questions.none"),
        help: t(writable ? "questions.noneHelp" : "questions.noneReader"),
      }}
    />
  )
}

const Questions = ({ collectionId, writable }: CollectionProps) => {
  const status = useQuery(questionSetStatusQuery(collectionId))
  return (
    <QueryResult query={status}>
      {(current) => (
        <>
          <p className="max-w-[60ch] text-sm text-muted">{t("questions.lead")}</p>
          {writable && <Actions collectionId={collectionId} status={current} />}
          <RunProgress status={current} />
          <QuestionRuns status={current} />
          <QuestionList {...{ collectionId, writable }} />
        </>
      )}
    </QueryResult>
  )
}

/** `/knowledge/$collectionId/questions`: what the collection must answer, and whether it does. */
export const QuestionsPage = () => {
  const { query, writable } = useCollection()
  const { data } = query
  return data ? <Questions key={data.id} collectionId={data.id} writable={writable} /> : null
}
