import { useQuery } from "@tanstack/react-query"
import { Files } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { formatBytes } from "../../lib/format.ts"
import { type FileRecord, type FileWithOwner, filesQuery } from "../../lib/knowledge-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { NoResults } from "../../ui/no-results.tsx"
import { Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { type Column, Table } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { ownerName } from "../ownership/owner-name.ts"
import { FileName } from "./file-name.tsx"
import { FileState, StateFilter } from "./file-states.tsx"

const pageSize = 30
const states = ["completed", "processing", "pending", "failed", "stored"] as const

const sizeOf = ({ meta }: FileRecord): string => formatBytes(meta.size)

/** Only administrators see the files of others. */
const ownerColumn = (): Column<FileWithOwner> => ({
  id: "owner",
  header: t("owner.title"),
  wideOnly: true,
  cell: (file) => <span className="block max-w-40 truncate">{ownerName(file)}</span>,
})

const None = ({ searched, clear }: { searched: boolean; clear: () => void }) =>
  searched ? (
    <NoResults icon={Files} clear={clear} />
  ) : (
    <EmptyState
      icon={Files}
      title={t("files.none")}
      action={<ButtonLink to="/knowledge">{t("files.toCollections")}</ButtonLink>}
    >
      {t("files.noneHelp")}
    </EmptyState>
  )

/**
 * `/knowledge/files`: the user's uploads, in collections or not; all uploads for administrators.
 */
export const FilesPage = () => {
  const { role } = useCurrentUser()
  const { search, change, toPage, setQuery, clear } = useListSearch<"status">()
  const { query, status, page = 1, order_by = "created_at", direction = "desc" } = search
  const files = useQuery(
    filesQuery({ query, status, order_by, direction, page, page_size: pageSize }),
  )
  const searched = Boolean(query) || status !== undefined
  return (
    <Page title={t("files.title")} lead={t(role === "admin" ? "files.leadAll" : "files.lead")}>
      <Toolbar>
        <SearchField label={t("files.search")} value={query ?? ""} onValue={setQuery} />
        <StateFilter {...{ states, status }} onStatus={(next) => change({ status: next })} />
      </Toolbar>
      <QueryResult query={files}>
        {({ items, total }) =>
          items.length === 0 ? (
            <None {...{ searched, clear }} />
          ) : (
            <>
              <Table
                label={t("files.title")}
                items={items}
                idOf={({ id }) => id}
                order={{ by: order_by, direction }}
                onOrder={(by, way) => change({ order_by: by, direction: way })}
                columns={[
                  {
                    id: "name",
                    header: t("files.name"),
                    sort: "filename",
                    grow: true,
                    cell: (file) => <FileName {...file} />,
                  },
                  {
                    id: "state",
                    header: t("files.state"),
                    cell: FileState,
                    belowName: "plain",
                  },
                  {
                    id: "size",
                    header: t("files.size"),
                    sort: "size",
                    align: "right",
                    cell: sizeOf,
                    belowName: "plain",
                  },
                  ...(role === "admin" ? [ownerColumn()] : []),
                  {
                    id: "created",
                    header: t("files.uploaded"),
                    sort: "created_at",
                    wideOnly: true,
                    cell: ({ created_at }) => <Time at={created_at} />,
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
