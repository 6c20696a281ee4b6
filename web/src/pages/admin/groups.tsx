import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Plus, UsersRound } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { groupsQuery } from "../../lib/queries.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Badge } from "../../ui/badge.tsx"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"

const pageSize = 30

const CreateGroup = () => (
  <ButtonLink to="/admin/groups/new" variant="primary" icon={Plus}>
    {t("groups.create")}
  </ButtonLink>
)

export const GroupsPage = () => {
  const { search, change, toPage, setQuery, clear } = useListSearch()
  const { query, page = 1, order_by = "name", direction = "asc" } = search
  const groups = useQuery(groupsQuery({ query, order_by, direction, page, page_size: pageSize }))
  const isEmpty = groups.data?.total === 0 && !query
  return (
    <Page title={t("groups.title")} lead={t("groups.lead")} action={!isEmpty && <CreateGroup />}>
      <Toolbar>
        <SearchField label={t("groups.search")} value={query ?? ""} onValue={setQuery} />
      </Toolbar>
      <QueryResult query={groups}>
        {({ items, total }) =>
          items.length === 0 ? (
            <NoGroups searched={Boolean(query)} clear={clear} />
          ) : (
            <>
              <Table
                label={t("groups.title")}
                items={items}
                idOf={({ id }) => id}
                order={{ by: order_by, direction }}
                onOrder={(by, way) => change({ order_by: by, direction: way })}
                columns={[
                  {
                    id: "name",
                    header: t("groups.name"),
                    sort: "name",
                    grow: true,
                    cell: ({ id, name, description, source }) => (
                      <NameCell detail={description}>
                        <Link to="/admin/groups/$groupId" params={{ groupId: id }}>
                          {name}
                        </Link>{" "}
                        {source !== "local" && <Badge>{t(`source.${source}`)}</Badge>}
                      </NameCell>
                    ),
                  },
                  {
                    id: "created",
                    header: t("user.created"),
                    sort: "created_at",
                    wideOnly: true,
                    cell: ({ created_at }) => <Time at={created_at} />,
                  },
                  {
                    id: "members",
                    header: t("groups.members"),
                    align: "right",
                    cell: ({ member_count }) => member_count,
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

const NoGroups = ({ searched, clear }: { searched: boolean; clear: () => void }) =>
  searched ? (
    <NoResults icon={UsersRound} clear={clear} />
  ) : (
    <EmptyState icon={UsersRound} title={t("groups.none")} action={<CreateGroup />}>
      {t("groups.noneHelp")}
    </EmptyState>
  )
