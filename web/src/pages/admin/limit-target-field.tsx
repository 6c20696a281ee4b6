import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import type { LimitTarget } from "../../../../server/src/limits/schema.ts"
import { t } from "../../i18n/translate.ts"
import { api } from "../../lib/api.ts"
import { containsWords } from "../../lib/list-result.ts"
import { connectionsQuery, modelsQuery } from "../../lib/queries.ts"
import { queryClient } from "../../lib/query-client.ts"
import { type ComboboxChoice, ComboboxField, toChoice } from "../../ui/combobox.tsx"

export const targetTypes = ["group", "user", "key", "model", "connection", "everyone"] as const

type SearchedType = Exclude<LimitTarget["type"], "everyone">

const maxChoices = 20

const withNote = (id: string, label: string, note: string): ComboboxChoice => ({
  ...{ value: id, label, note },
})

type Search = (query: string, signal: AbortSignal) => Promise<ComboboxChoice[]>

const matching = (
  items: readonly { id: string; name: string }[],
  query: string,
): ComboboxChoice[] =>
  items
    .filter(({ id, name }) => containsWords(`${name} ${id}`, query))
    .slice(0, maxChoices)
    .map(toChoice)

const searches: Record<SearchedType, Search> = {
  group: async (query, signal) => {
    const search = { query, page_size: maxChoices, order_by: "name" }
    const { items } = await api.get("/api/v1/groups", { query: search, signal })
    return items.map(({ id, name }) => ({ value: id, label: name }))
  },
  user: async (query, signal) => {
    const search = { query, page_size: maxChoices, order_by: "name" }
    const { items } = await api.get("/api/v1/users", { query: search, signal })
    return items.map(({ id, name, email }) => withNote(id, name, email))
  },
  key: async (query, signal) => {
    const search = { query, page_size: maxChoices, direction: "desc" }
    const { items } = await api.get("/api/v1/keys", { query: search, signal })
    return items.map(({ id, name, hint, owner }) =>
      withNote(id, name, `${owner.name} · sk-…${hint}`),
    )
  },
  model: async (query) => matching(await queryClient.fetchQuery(modelsQuery), query),
  connection: async (query) => matching(await queryClient.fetchQuery(connectionsQuery), query),
}

interface TargetFieldProps {
  type: SearchedType
  /** Empty while nothing is chosen. */
  id: string
  onId: (id: string) => void
  error: string | undefined
}

/** Lets administrators search for what is limited. */
export const TargetField = ({ type, id, onId, error }: TargetFieldProps) => {
  const [query, setQuery] = useState("")
  const { data = [], isPlaceholderData } = useQuery({
    queryKey: ["limits", "targets", type, query],
    queryFn: ({ signal }) => searches[type](query, signal),
    placeholderData: keepPreviousData,
  })
  const [chosen, setChosen] = useState<ComboboxChoice | null>(null)
  const isListed = chosen === null || data.some(({ value }) => value === chosen.value)
  return (
    <ComboboxField
      label={t(`limits.type.${type}`)}
      placeholder={t(`limits.find.${type}`)}
      choices={isListed ? data : [...data, chosen]}
      value={id === "" ? null : id}
      onQuery={setQuery}
      loading={isPlaceholderData}
      onValue={(next) => {
        setChosen(data.find(({ value }) => value === next) ?? null)
        onId(next ?? "")
      }}
      error={error}
    />
  )
}
