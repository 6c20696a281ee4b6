import { useQuery } from "@tanstack/react-query"
import { getRouteApi, useLocation } from "@tanstack/react-router"
import { Search } from "lucide-react"
import { type FormEvent, useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { testSearchQuery } from "../../lib/knowledge-api.ts"
import { maxQuestionLength } from "../../lib/knowledge-search-params.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Input } from "../../ui/field.tsx"
import { Select } from "../../ui/select.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { useCollection } from "./collection.tsx"
import { ExpectPassage } from "./expect-passage.tsx"
import { ConversationFields } from "./playground-conversation.tsx"
import { PlaygroundResults } from "./playground-results.tsx"

const route = getRouteApi("/inside/knowledge/$collectionId/search")
const maxCount = 300
const counts = [5, 10, 20, 50, 100, maxCount] as const

/** The form's fields, initialized from the search parameters and updated when these change. */
const useFields = () => {
  const { q = "", previous = "", model = "" } = route.useSearch()
  // It is too long for a URL.
  const answer = useLocation({ select: ({ state }) => state.previousAnswer ?? "" })
  const [fields, setFields] = useState({ q, previous, model, answer })
  useEffect(() => setFields({ q, previous, model, answer }), [q, previous, model, answer])
  const set = (changes: Partial<typeof fields>): void => setFields({ ...fields, ...changes })
  return { requested: { q, previous, model, answer }, fields, set }
}

/** Whether the user may search with a model: the one of an old chat may have been removed. */
const useOfferedModel = (model: string): { isPending: boolean; isOffered: boolean } => {
  const { data, isPending } = useQuery({ ...modelsQuery, enabled: model !== "" })
  const isOffered = model === "" || data === undefined || data.some(({ id }) => id === model)
  return { isPending: model !== "" && isPending, isOffered }
}

type Fields = ReturnType<typeof useFields>["fields"]

const trimmed = (fields: Fields): Fields => ({
  q: fields.q.trim(),
  previous: fields.previous.trim(),
  model: fields.model,
  answer: fields.answer.trim(),
})

const toQuestion = ({ q, previous, model, answer }: Fields, k: number) => ({
  query: q,
  k,
  ...(previous !== "" && { previous }),
  ...(answer !== "" && { previous_answer: answer }),
  ...(model !== "" && { model }),
})

const isEqual = (a: Fields, b: Fields): boolean =>
  a.q === b.q && a.previous === b.previous && a.model === b.model && a.answer === b.answer

/** `/knowledge/$collectionId/search`: test searches with explanations. */
export const PlaygroundPage = () => {
  const { query: collection, writable } = useCollection()
  const navigate = route.useNavigate()
  const { requested, fields, set } = useFields()
  const { isPending, isOffered } = useOfferedModel(requested.model)
  const [k, setK] = useState<string>("10")
  const id = collection.data?.id ?? ""
  const isEnabled = id !== "" && requested.q !== "" && !isPending
  const question = toQuestion(isOffered ? requested : { ...requested, model: "" }, Number(k))
  const search = useQuery({ ...testSearchQuery(id, question), enabled: isEnabled })

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const next = trimmed(fields)
    if (next.q === "") return
    if (isEqual(next, requested)) void search.refetch()
    void navigate({
      to: ".",
      search: { q: next.q, previous: next.previous || undefined, model: next.model || undefined },
      state: { previousAnswer: next.answer || undefined },
      replace: true,
    })
  }
  return (
    <>
      <p className="max-w-[60ch] text-sm text-muted">{t("playground.lead")}</p>
      <form onSubmit={submit} className="flex flex-wrap gap-2">
        <Input
          autoFocus
          aria-label={t("playground.question")}
          placeholder={t("playground.question")}
          value={fields.q}
          onChange={({ target }) => set({ q: target.value })}
          maxLength={maxQuestionLength}
          className="min-w-0 flex-1 basis-60"
        />
        <Select
          aria-label={t("playground.count")}
          value={k}
          onValue={setK}
          options={counts.map((count) => ({
            value: String(count),
            label: t("playground.countOption", { count }),
          }))}
          className="w-auto!"
        />
        <Button
          type="submit"
          variant="primary"
          icon={Search}
          busy={search.isFetching}
          disabled={fields.q.trim() === ""}
        >
          {t("list.search")}
        </Button>
        <ConversationFields
          values={{ previous: fields.previous, answer: fields.answer, model: fields.model }}
          onValues={set}
        />
      </form>
      {search.error && <ErrorNote error={search.error} retry={() => void search.refetch()} />}
      {search.isLoading && <Skeleton rows={8} />}
      {search.data && (
        <PlaygroundResults
          findings={search.data}
          onShowAll={() => setK(String(maxCount))}
          actionFor={(passage) =>
            writable && (
              <ExpectPassage key={requested.q} {...{ collectionId: id, question, passage }} />
            )
          }
        />
      )}
    </>
  )
}
