import { useQuery } from "@tanstack/react-query"
import { Ellipsis, FileText, RotateCw } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import {
  type CollectionFile,
  type CollectionWithFiles,
  collectionApi,
  collectionFilesQuery,
  type FileCounts,
  fileApi,
} from "../../lib/knowledge-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useUploads } from "../../lib/uploads.ts"
import { useListSearch } from "../../lib/use-list-search.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { List } from "../../ui/list.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import type { Column } from "../../ui/table.tsx"
import { useCollection } from "./collection.tsx"
import { DeleteFile } from "./delete-file.tsx"
import { DropZone } from "./drop-zone.tsx"
import { FileName } from "./file-name.tsx"
import { countUnread, FileState, statusFilter } from "./file-states.tsx"
import { UploadList } from "./upload-list.tsx"

const statuses = ["completed", "processing", "failed"] as const

/** The filter "processing" includes files waiting to be processed. */
const statusesOf = (state: string | undefined): string | undefined =>
  state === "processing" ? "pending,processing" : state

const refreshCollections = (): void =>
  void queryClient.invalidateQueries({ queryKey: ["collections"] })

interface FileActionsProps {
  collection: CollectionWithFiles
  file: CollectionFile
  onError: (error: unknown) => void
}

const FileActions = ({ collection, file, onError }: FileActionsProps) => {
  const [deleting, setDeleting] = useState(false)
  const { id, filename, data } = file
  const act = (request: Promise<unknown>): void => void request.then(refreshCollections, onError)
  const reprocess = (): void => act(fileApi.reprocess(id))
  return (
    <span className="flex justify-end">
      {data.status === "failed" && (
        <IconButton
          icon={RotateCw}
          label={t("files.againOne", { name: filename })}
          onClick={reprocess}
        />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={t("files.moreOne", { name: filename })} />}>
        <MenuItem onClick={reprocess}>{t("files.again")}</MenuItem>
        <MenuItem onClick={() => act(collectionApi.removeFile(collection.id, id))}>
          {t("files.takeOut")}
        </MenuItem>
        <MenuItem danger onClick={() => setDeleting(true)}>
          {t("files.delete")}
        </MenuItem>
      </Menu>
      {deleting && (
        <DeleteFile
          id={id}
          name={filename}
          onClose={() => setDeleting(false)}
          onDeleted={refreshCollections}
        />
      )}
    </span>
  )
}

const sizeOf = ({ meta }: CollectionFile): string => formatBytes(meta.size)

interface FileListProps extends Omit<FileActionsProps, "file"> {
  writable: boolean
}

const columns = ({ writable, ...props }: FileListProps): Column<CollectionFile>[] => [
  { id: "name", header: t("label.name"), grow: true, cell: (file) => <FileName {...file} /> },
  { id: "state", header: t("label.status"), cell: FileState, belowName: "plain" },
  { id: "size", header: t("label.size"), align: "right", cell: sizeOf, belowName: "plain" },
  {
    id: "passages",
    header: t("files.passages"),
    align: "right",
    cell: ({ data }) => formatNumber(data.progress.passages ?? 0),
    belowName: "labeled",
  },
  ...(writable
    ? [
        {
          id: "actions",
          header: "",
          align: "right" as const,
          cell: (file: CollectionFile) => <FileActions {...props} file={file} />,
        },
      ]
    : []),
]

/** Reprocesses all failed files. */
const RetryAll = ({
  collection: { id, file_counts },
  onError,
}: Omit<FileListProps, "writable">) => {
  const [busy, setBusy] = useState(false)
  if (file_counts.failed < 2) return null
  const retry = async (): Promise<void> => {
    setBusy(true)
    try {
      const failed = await collectionApi.failedFileIds(id)
      for (const fileId of failed) await fileApi.reprocess(fileId).catch(onError)
    } catch (error) {
      onError(error)
    }
    refreshCollections()
    setBusy(false)
  }
  return (
    <Button icon={RotateCw} busy={busy} onClick={() => void retry()}>
      {t("files.againAll", { count: file_counts.failed })}
    </Button>
  )
}

const summaryOf = (counts: FileCounts): string => {
  const { failed, reading } = countUnread(counts)
  const parts = [
    t("objects.count.file", { count: counts.total }),
    reading > 0 && t("knowledge.reading", { count: reading }),
    failed > 0 && t("knowledge.failed", { count: failed }),
  ]
  return parts.filter(Boolean).join(" · ")
}

/** The collection's files that match the search parameters, page by page. */
const FilteredFiles = ({ collection, writable, onError }: FileListProps) => {
  const list = useListSearch<"status">({ page_size: 50 })
  const { status, ...params } = list.params
  const files = useQuery(
    collectionFilesQuery(collection.id, { ...params, status: statusesOf(status) }),
  )
  return (
    <List
      label={t("label.files")}
      list={list}
      result={files}
      searchLabel={t("files.search")}
      filters={[statusFilter(statuses)]}
      tools={writable && <RetryAll {...{ collection, onError }} />}
      summary={
        <p role="status" className="-mt-2 text-sm text-muted tabular">
          {summaryOf(collection.file_counts)}
        </p>
      }
      icon={FileText}
      columns={columns({ collection, writable, onError })}
    />
  )
}

const CollectionFiles = ({ collection, writable }: Omit<FileListProps, "onError">) => {
  const [error, setError] = useState<unknown>(null)
  const { uploads, add, retry, cancel } = useUploads(
    `collection.${collection.id}`,
    refreshCollections,
    collection.id,
  )
  return (
    <>
      {writable && <DropZone onFiles={add} />}
      <UploadList uploads={uploads} onRetry={retry} onCancel={cancel} />
      {error !== null && <ErrorNote error={error} />}
      {collection.file_counts.total === 0 ? (
        <EmptyState icon={FileText} title={t("label.noFilesYet")}>
          {t(writable ? "knowledge.noFilesHelp" : "knowledge.noFilesReader")}
        </EmptyState>
      ) : (
        <FilteredFiles {...{ collection, writable }} onError={setError} />
      )}
    </>
  )
}

/** `/knowledge/$collectionId` */
export const CollectionFilesPage = () => {
  const { query, writable } = useCollection()
  const { data } = query
  return data ? <CollectionFiles key={data.id} collection={data} writable={writable} /> : null
}
