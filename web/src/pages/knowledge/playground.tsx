import { useQuery } from "@tanstack/react-query"
import { getRouteApi } from "@tanstack/react-router"
import { Search } from "lucide-react"
import { type FormEvent, useEffect, useState } from "react"
import { t } from "../../i18n/translate.ts"
import { testSearchQuery } from "../../lib/knowledge-api.ts"
import { maxQuestionLength } from "../../lib/knowledge-search-params.ts"
import { Button } from "../../ui/button.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Input, TextField } from "../../ui/field.tsx"
import { Select } from "../../ui/select.tsx"
import { Skeleton } from "../../ui/skeleton.tsx"
import { useCollection } from "./collection.tsx"
import { PlaygroundResults } from "./playground-results.tsx"

const route = getRouteApi("/inside/knowledge/$collectionId/search")
const counts = [5, 10, 20, 50] as const

interface PreviousProps {
  value: string
  onValue: (value: string) => void
}

/** The preceding question of a conversation; collapsed while empty. */
const PreviousQuestion = ({ value, onValue }: PreviousProps) => {
  const [open, setOpen] = useState(value !== "")
  useEffect(() => {
    if (value !== "") setOpen(true)
  }, [value])
  return (
    <details
      open={open}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      className="basis-full text-sm"
    >
      <summary className="text-muted">{t("playground.previous")}</summary>
      <TextField
        label={t("playground.previousLabel")}
        className="mt-2"
        value={value}
        maxLength={maxQuestionLength}
        onValue={onValue}
      />
    </details>
  )
}

/** The form's fields, initialized from the search parameters and updated when these change. */
const useFields = () => {
  const { q = "", previous = "" } = route.useSearch()
  const [fields, setFields] = useState({ q, previous })
  useEffect(() => setFields({ q, previous }), [q, previous])
  const set = (changes: Partial<typeof fields>): void => setFields({ ...fields, ...changes })
  return { requested: { q, previous }, fields, set }
}

/** `/knowledge/$collectionId/search`: test searches with explanations. */
export const PlaygroundPage = () => {
  const { query: collection } = useCollection()
  const navigate = route.useNavigate()
  const { requested, fields, set } = useFields()
  const [k, setK] = useState<string>("10")
  const { q, previous } = requested
  const id = collection.data?.id ?? ""
  const question = { query: q, k: Number(k), ...(previous !== "" && { previous }) }
  const isEnabled = id !== "" && q !== ""
  const search = useQuery({ ...testSearchQuery(id, question), enabled: isEnabled })

  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const next = { q: fields.q.trim(), previous: fields.previous.trim() }
    if (next.q === "") return
    if (next.q === q && next.previous === previous) void search.refetch()
    void navigate({
      to: ".",
      search: { q: next.q, previous: next.previous || undefined },
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
        <PreviousQuestion value={fields.previous} onValue={(value) => set({ previous: value })} />
      </form>
      {search.error && <ErrorNote error={search.error} retry={() => void search.refetch()} />}
      {search.isLoading && <Skeleton rows={8} />}
      {search.data && <PlaygroundResults findings={search.data} />}
    </>
  )
}
