import { useQuery } from "@tanstack/react-query"
import { TextQuote } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { type PromptListItem, promptsQuery } from "../../lib/prompt-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { SuggestionList, type SuggestionListControl } from "./suggestion-list.tsx"

const maxSuggestions = 8
const maxFetched = 50

interface PickerProps extends SuggestionListControl {
  onPick: (prompt: PromptListItem) => void
}

/** How well a prompt matches: 0 is best; null if it does not. */
const rankOf = ({ command, title }: PromptListItem, query: string): number | null => {
  if (command === query) return 0
  if (command.startsWith(query)) return 1
  return command.includes(query) || title.toLowerCase().includes(query) ? 2 : null
}

/** The best matches first. The results may still be those of the previous query. */
const rankPrompts = (prompts: readonly PromptListItem[], query: string): PromptListItem[] =>
  prompts
    .flatMap((prompt) => {
      const rank = rankOf(prompt, query.toLowerCase())
      return rank === null ? [] : [{ prompt, rank }]
    })
    .sort((one, other) => one.rank - other.rank)
    .slice(0, maxSuggestions)
    .map(({ prompt }) => prompt)

/** Suggests prompts by command and title. */
export const PromptPicker = ({ onPick, ...list }: PickerProps) => {
  const me = useCurrentUser()
  const query = list.query.trim()
  const found = useQuery(promptsQuery({ query, page_size: maxFetched, granted: true }))
  const { data } = found
  const loading = found.isPending || found.isPlaceholderData
  const suggestions = rankPrompts(data?.items ?? [], query).map((prompt) => ({
    key: prompt.id,
    icon: TextQuote,
    label: prompt.title,
    note:
      prompt.user_id === me.id
        ? `/${prompt.command}`
        : `/${prompt.command} ${t("prompts.by", { name: prompt.user_name })}`,
    prompt,
  }))
  // A message that starts with "/" but names no prompt.
  if (suggestions.length === 0 && !loading && query.includes(" ")) return null
  return (
    <SuggestionList
      {...list}
      label={t("label.prompts")}
      suggestions={suggestions}
      loading={loading}
      onPick={({ prompt }) => onPick(prompt)}
      none={{
        text: t(query === "" ? "prompts.none" : "prompts.noMatch"),
        to: "/prompts/new",
        action: t("prompts.create"),
      }}
    />
  )
}
