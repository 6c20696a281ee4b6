import { useQuery } from "@tanstack/react-query"
import { FileText, Library } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { collectionsQuery, filesQuery } from "../../lib/knowledge-api.ts"
import type { Attachment } from "./attachments.ts"
import { SuggestionList, type SuggestionListControl } from "./suggestion-list.tsx"

const maxSuggestions = 6

interface PickerProps extends SuggestionListControl {
  onPick: (one: Attachment) => void
}

/** Files and collections whose names match a query. */
export const useAttachmentSuggestions = (query: string) => {
  const search = { query: query.trim(), page_size: maxSuggestions }
  const collections = useQuery(collectionsQuery(search))
  const files = useQuery(filesQuery({ ...search, order_by: "created_at", direction: "desc" }))
  const suggestions = [
    ...(collections.data?.items ?? []).map(({ id, name, file_counts }) => ({
      key: `collection ${id}`,
      icon: Library,
      label: name,
      note: t("objects.count.file", { count: file_counts.total }),
      attachment: { type: "collection" as const, id, name },
    })),
    ...(files.data?.items ?? []).map(({ id, filename }) => ({
      key: `file ${id}`,
      icon: FileText,
      label: filename,
      note: t("label.file"),
      attachment: { type: "file" as const, id, name: filename },
    })),
  ]
  const loading = [collections, files].some((one) => one.isPending || one.isPlaceholderData)
  return { suggestions, loading }
}

/** Suggests collections and files by name. */
export const AttachmentPicker = ({ onPick, ...list }: PickerProps) => {
  const { suggestions, loading } = useAttachmentSuggestions(list.query)
  return (
    <SuggestionList
      {...list}
      label={t("attach.choose")}
      suggestions={suggestions}
      loading={loading}
      onPick={({ attachment }) => onPick(attachment)}
      none={{ text: t("attach.none"), to: "/knowledge/new", action: t("knowledge.create") }}
    />
  )
}
