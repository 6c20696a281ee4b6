import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { MessageSquare, TextQuote } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { promptsQuery } from "../../lib/prompt-api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { IconLink } from "../../ui/button.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import { NameCell } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { describeReaders } from "../grants/access.ts"

/** `/prompts`: the prompts that the user may use. */
export const PromptsPage = () => {
  const list = useListSearch({ order_by: "title", direction: "asc" })
  const prompts = useQuery(promptsQuery(list.params))
  return (
    <ListPage
      title={t("label.prompts")}
      lead={t("prompts.lead")}
      list={list}
      result={prompts}
      searchLabel={t("prompts.search")}
      create={{ to: "/prompts/new", label: t("prompts.create") }}
      icon={TextQuote}
      none={{ title: t("prompts.none"), help: t("prompts.noneHelp") }}
      columns={[
        {
          id: "title",
          header: t("label.title"),
          sort: "title",
          grow: true,
          cell: ({ id, title, content }) => (
            <NameCell detail={content.slice(0, 200)}>
              <Link to="/prompts/$promptId" params={{ promptId: id }}>
                {title}
              </Link>
            </NameCell>
          ),
        },
        {
          id: "command",
          header: t("prompts.command"),
          sort: "command",
          cell: ({ command }) => (
            <code className="block max-w-32 truncate wide:max-w-64">/{command}</code>
          ),
        },
        {
          id: "owner",
          header: t("label.owner"),
          wideOnly: true,
          cell: ({ user_name }) => user_name,
        },
        {
          id: "access",
          header: t("label.access"),
          belowName: "plain",
          cell: ({ is_public, grant_count }) => describeReaders(is_public, grant_count),
        },
        {
          id: "updated",
          header: t("label.updated"),
          sort: "updated_at",
          wideOnly: true,
          cell: ({ updated_at }) => <Time at={updated_at} />,
        },
        {
          id: "use",
          header: "",
          align: "right",
          cell: ({ id, title }) => (
            <IconLink
              icon={MessageSquare}
              label={t("prompts.useOne", { name: title })}
              to="/"
              search={{ prompt: id }}
            />
          ),
        },
      ]}
    />
  )
}
