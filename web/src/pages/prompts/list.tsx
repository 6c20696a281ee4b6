import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { MessageSquare, Plus, TextQuote } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { promptsQuery } from "../../lib/prompts-api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink, IconLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { describeReaders } from "../grants/access.ts"

const pageSize = 30

const Create = () => (
  <ButtonLink to="/prompts/new" variant="primary" icon={Plus}>
    {t("prompts.create")}
  </ButtonLink>
)

const None = ({ searched, clear }: { searched: boolean; clear: () => void }) =>
  searched ? (
    <NoResults icon={TextQuote} clear={clear} />
  ) : (
    <EmptyState icon={TextQuote} title={t("prompts.none")} action={<Create />}>
      {t("prompts.noneHelp")}
    </EmptyState>
  )

/** `/prompts`: the prompts that the user may use. */
export const PromptsPage = () => {
  const { search, change, toPage, setQuery, clear } = useListSearch()
  const { query, page = 1, order_by = "title", direction = "asc" } = search
  const prompts = useQuery(promptsQuery({ query, order_by, direction, page, page_size: pageSize }))
  return (
    <Page title={t("prompts.title")} lead={t("prompts.lead")} action={<Create />}>
      <Toolbar>
        <SearchField label={t("prompts.search")} value={query ?? ""} onValue={setQuery} />
      </Toolbar>
      <QueryResult query={prompts}>
        {({ items, total }) =>
          items.length === 0 ? (
            <None searched={Boolean(query)} clear={clear} />
          ) : (
            <>
              <Table
                label={t("prompts.title")}
                items={items}
                idOf={({ id }) => id}
                order={{ by: order_by, direction }}
                onOrder={(by, way) => change({ order_by: by, direction: way })}
                columns={[
                  {
                    id: "title",
                    header: t("prompts.name"),
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
                    header: t("prompts.owner"),
                    wideOnly: true,
                    cell: ({ user_name }) => user_name,
                  },
                  {
                    id: "access",
                    header: t("prompts.grants"),
                    belowName: "plain",
                    cell: ({ is_public, grant_count }) => describeReaders(is_public, grant_count),
                  },
                  {
                    id: "updated",
                    header: t("prompts.updated"),
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
              <Pager page={page} pageSize={pageSize} total={total} onPage={toPage} />
            </>
          )
        }
      </QueryResult>
    </Page>
  )
}
