import { useQuery } from "@tanstack/react-query"
import { Files } from "lucide-react"
import { t } from "../../i18n/translate.ts"
import { formatBytes } from "../../lib/format.ts"
import { type FileRecord, type FileWithOwner, filesQuery } from "../../lib/knowledge-api.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { ButtonLink } from "../../ui/button.tsx"
import { ListPage } from "../../ui/list-page.tsx"
import type { Column } from "../../ui/table.tsx"
import { Time } from "../../ui/time.tsx"
import { ownerName } from "../ownership/owner-name.ts"
import { FileName } from "./file-name.tsx"
import { FileState, statusFilter } from "./file-states.tsx"

const statuses = ["completed", "processing", "pending", "failed", "stored"] as const

const sizeOf = ({ meta }: FileRecord): string => formatBytes(meta.size)

/** Only administrators see the files of others. */
const ownerColumn = (): Column<FileWithOwner> => ({
  id: "owner",
  header: t("label.owner"),
  wideOnly: true,
  cell: (file) => <span className="block max-w-40 truncate">{ownerName(file)}</span>,
})

/**
 * `/knowledge/files`: the user's uploads, in collections or not; all uploads for administrators.
 */
export const FilesPage = () => {
  const { role } = useCurrentUser()
  const list = useListSearch<"status">({ order_by: "created_at", direction: "desc" })
  const files = useQuery(filesQuery(list.params))
  return (
    <ListPage
      title={t("label.files")}
      lead={t(role === "admin" ? "files.leadAll" : "files.lead")}
      list={list}
      result={files}
      searchLabel={t("files.search")}
      filters={[statusFilter(statuses)]}
      icon={Files}
      none={{
        title: t("label.noFilesYet"),
        help: t("files.noneHelp"),
        action: <ButtonLink to="/knowledge">{t("files.toCollections")}</ButtonLink>,
      }}
      columns={[
        {
          id: "name",
          header: t("label.name"),
          sort: "filename",
          grow: true,
          cell: (file) => <FileName {...file} />,
        },
        {
          id: "state",
          header: t("label.status"),
          cell: FileState,
          belowName: "plain",
        },
        {
          id: "size",
          header: t("label.size"),
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
  )
}
