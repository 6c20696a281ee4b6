import { useQueries, useQuery } from "@tanstack/react-query"
import { Library, X } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { collectionQuery, collectionsQuery } from "../../lib/knowledge-api.ts"
import { IconButton } from "../../ui/button.tsx"
import { Combobox } from "../../ui/combobox.tsx"
import { Field } from "../../ui/field.tsx"

interface KnowledgeFieldProps {
  ids: readonly string[]
  onIds: (ids: string[]) => void
}

const Chosen = ({ ids, onIds }: KnowledgeFieldProps) => {
  const collections = useQueries({ queries: ids.map(collectionQuery) })
  return (
    <ul className="flex flex-col rounded border border-line">
      {ids.map((id, index) => {
        const name = collections[index]?.data?.name
        const failed = collections[index]?.error
        const shown = name ?? (failed ? t("models.knowledgeGone") : "…")
        return (
          <li
            key={id}
            className="flex items-center gap-2 border-b border-line py-1 pr-1 pl-3 text-sm last:border-0"
          >
            <Library aria-hidden className="size-4 shrink-0 text-muted" />
            <span className="min-w-0 flex-1 truncate">{shown}</span>
            <IconButton
              icon={X}
              label={t("action.removeOne", { name: shown })}
              onClick={() => onIds(ids.filter((other) => other !== id))}
            />
          </li>
        )
      })}
    </ul>
  )
}

/** The collections attached to a model. */
export const KnowledgeField = ({ ids, onIds }: KnowledgeFieldProps) => {
  const [query, setQuery] = useState("")
  const { data, isPlaceholderData } = useQuery(collectionsQuery({ query, page_size: 20 }))
  const choices = (data?.items ?? []).filter(({ id }) => !ids.includes(id))
  return (
    <Field
      label={t("label.knowledge")}
      help={ids.length > 0 ? t("models.knowledgeHelp") : undefined}
    >
      {(controlProps) => (
        <>
          {ids.length > 0 && <Chosen ids={ids} onIds={onIds} />}
          <Combobox
            {...controlProps}
            placeholder={t("models.knowledgeAdd")}
            choices={choices.map(({ id, name, file_counts }) => ({
              value: id,
              label: name,
              note: t("objects.count.file", { count: file_counts.total }),
            }))}
            value={null}
            onQuery={setQuery}
            loading={isPlaceholderData}
            onValue={(id) => {
              if (id !== null) onIds([...ids, id])
            }}
          />
        </>
      )}
    </Field>
  )
}
