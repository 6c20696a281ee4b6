import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { Library, Plus } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { formatNumber } from "../../lib/format.ts"
import { type CollectionWithFiles, collectionsQuery } from "../../lib/knowledge-api.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { describeReaders } from "../grants/access.ts"
import { ownerName } from "../ownership/owner-name.ts"
import { CollectionState } from "./file-states.tsx"

const pageSize = 30

const readersOf = ({ access_grants, grant_count }: CollectionWithFiles): string =>
  describeReaders(
    access_grants.some(({ principal_id }) => principal_id === "*"),
    grant_count,
  )

const Create = () => (
  <ButtonLink to="/knowledge/new" variant="primary" icon={Plus}>
    {t("knowledge.create")}
  </ButtonLink>
)

const None = ({ searched, clear }: { searched: boolean; clear: () => void }) =>
  searched ? (
    <NoResults icon={Library} clear={clear} />
  ) : (
    <EmptyState icon={Library} title={t("knowledge.none")} action={<Create />}>
      {t("knowledge.noneHelp")}
    </EmptyState>
  )

/** `/knowledge`: the collections that the user may read. */
export const CollectionsPage = () => {
  const { search, change, toPage, setQuery, clear } = useListSearch()
  const { query, page = 1, order_by = "updated_at", direction = "desc" } = search
  const collections = useQuery(
    collectionsQuery({ query, order_by, direction, page, page_size: pageSize }),
  )
  return (
    <Page title={t("knowledge.title")} lead={t("knowledge.lead")} action={<Create />}>
      <Toolbar>
        <SearchField label={t("knowledge.searchLists")} value={query ?? ""} onValue={setQuery} />
      </Toolbar>
      <QueryResult query={collections}>
        {({ items, total }) =>
          items.length === 0 ? (
            <None searched={Boolean(query)} clear={clear} />
          ) : (
            <>
              <Table
                label={t("knowledge.collections")}
                items={items}
                idOf={({ id }) => id}
                order={{ by: order_by, direction }}
                onOrder={(by, way) => change({ order_by: by, direction: way })}
                columns={[
                  {
                    id: "name",
                    header: t("knowledge.name"),
                    sort: "name",
                    grow: true,
                    cell: ({ id, name, description }) => (
                      <NameCell detail={description}>
                        <Link to="/knowledge/$collectionId" params={{ collectionId: id }}>
                          {name}
                        </Link>
                      </NameCell>
                    ),
                  },
                  {
                    id: "files",
                    header: t("files.title"),
                    align: "right",
                    cell: ({ file_counts }) => formatNumber(file_counts.total),
                  },
                  {
                    id: "state",
                    header: t("files.state"),
                    cell: ({ file_counts }) => <CollectionState counts={file_counts} />,
                  },
                  {
                    id: "readers",
                    header: t("knowledge.readers"),
                    cell: readersOf,
                    belowName: "plain",
                  },
                  {
                    id: "owner",
                    header: t("owner.title"),
                    wideOnly: true,
                    cell: (collection) => (
                      <span className="block max-w-40 truncate">{ownerName(collection)}</span>
                    ),
                  },
                  {
                    id: "updated",
                    header: t("knowledge.updated"),
                    sort: "updated_at",
                    wideOnly: true,
                    cell: ({ updated_at }) => <Time at={updated_at} />,
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
