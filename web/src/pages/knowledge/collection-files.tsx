import { Link } from "@tanstack/react-router"
import { Ellipsis, FileText, RotateCw } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import {
  type CollectionFile,
  type CollectionWithFiles,
  collectionApi,
  fileApi,
} from "../../lib/library-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useUploads } from "../../lib/uploads.ts"
import { useListSearch } from "../../lib/use-list.ts"
import { Button, IconButton } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Menu, MenuItem } from "../../ui/menu.tsx"
import { NameCell, Table } from "../../ui/table.tsx"
import { Filter, Pager, SearchField, Toolbar } from "../../ui/toolbar.tsx"
import { useCollection } from "./collection.tsx"
import { DeleteFile } from "./delete-file.tsx"
import { DropZone } from "./drop-zone.tsx"
import { countStates, FileState, stateWord } from "./states.tsx"
import { UploadList } from "./upload-list.tsx"

const pageSize = 50
const states = ["completed", "processing", "failed"] as const

const refresh = (): void => void queryClient.invalidateQueries({ queryKey: ["collections"] })

interface FileActionsProps {
  collection: CollectionWithFiles
  file: CollectionFile
  onError: (error: unknown) => void
}

const FileActions = ({ collection, file, onError }: FileActionsProps) => {
  const [deleting, setDeleting] = useState(false)
  const { id, filename, data } = file
  const act = (work: Promise<unknown>): void => void work.then(refresh, onError)
  const again = (): void => act(fileApi.again(id))
  return (
    <span className="flex justify-end">
      {data.status === "failed" && (
        <IconButton
          icon={RotateCw}
          label={t("files.againOne", { name: filename })}
          onClick={again}
        />
      )}
      <Menu trigger={<IconButton icon={Ellipsis} label={t("files.moreOne", { name: filename })} />}>
        <MenuItem onClick={again}>{t("files.again")}</MenuItem>
        <MenuItem onClick={() => act(collectionApi.takeOut(collection.id, id))}>
          {t("files.takeOut")}
        </MenuItem>
        <MenuItem danger onClick={() => setDeleting(true)}>
          {t("files.delete")}
        </MenuItem>
      </Menu>
      {deleting && (
        <DeleteFile id={id} name={filename} onClose={() => setDeleting(false)} onGone={refresh} />
      )}
    </span>
  )
}

const Name = ({ id, filename, meta, data }: CollectionFile) => {
  const path = typeof meta.data.path === "string" ? meta.data.path : undefined
  return (
    <div className="min-w-0">
      <NameCell note={path}>
        <Link to="/knowledge/files/$fileId" params={{ fileId: id }}>
          {filename}
        </Link>
      </NameCell>
      {data.error && <p className="text-xs break-words text-danger">{data.error}</p>}
    </div>
  )
}

interface FileTableProps extends Omit<FileActionsProps, "file"> {
  files: readonly CollectionFile[]
  writable: boolean
}

const FileTable = ({ collection, files, writable, onError }: FileTableProps) => (
  <Table
    label={t("files.title")}
    items={files}
    idOf={({ id }) => id}
    columns={[
      { id: "name", header: t("files.name"), grow: true, cell: (file) => <Name {...file} /> },
      { id: "state", header: t("files.state"), cell: ({ data }) => <FileState data={data} /> },
      {
        id: "size",
        header: t("files.size"),
        align: "right",
        wideOnly: true,
        cell: ({ meta }) => formatBytes(meta.size),
      },
      {
        id: "passages",
        header: t("files.passages"),
        align: "right",
        wideOnly: true,
        cell: ({ data }) => formatNumber(data.progress.passages ?? 0),
      },
      ...(writable
        ? [
            {
              id: "actions",
              header: "",
              align: "right" as const,
              cell: (file: CollectionFile) => (
                <FileActions collection={collection} file={file} onError={onError} />
              ),
            },
          ]
        : []),
    ]}
  />
)

const fits =
  (query: string, status: string | undefined) =>
  ({ filename, data }: CollectionFile): boolean => {
    const state = data.status === "pending" ? "processing" : data.status
    const named = filename.toLocaleLowerCase().includes(query.toLocaleLowerCase())
    return named && (status === undefined || state === status)
  }

/** All failed files once more. */
const RetryAll = ({
  files,
  onError,
}: {
  files: readonly CollectionFile[]
  onError: (e: unknown) => void
}) => {
  const failed = files.filter(({ data }) => data.status === "failed")
  if (failed.length < 2) return null
  const retry = async (): Promise<void> => {
    for (const { id } of failed) await fileApi.again(id).catch(onError)
    refresh()
  }
  return (
    <Button icon={RotateCw} onClick={() => void retry()}>
      {t("files.againAll", { count: failed.length })}
    </Button>
  )
}

const CollectionFiles = ({
  collection,
  writable,
}: {
  collection: CollectionWithFiles
  writable: boolean
}) => {
  const { search, change, setQuery, clear } = useListSearch<"status">()
  const [error, setError] = useState<unknown>(null)
  const { uploads, add, retry, cancel } = useUploads(
    `collection.${collection.id}`,
    async (file) => {
      await collectionApi.add(collection.id, file.id)
      refresh()
    },
  )
  const { query = "", status, page = 1 } = search
  const found = collection.files.filter(fits(query, status))
  const shown = found.slice((page - 1) * pageSize, page * pageSize)
  const { failed, reading } = countStates(collection.files)
  const summary = [
    t("knowledge.files", { count: collection.files.length }),
    reading > 0 && t("knowledge.reading", { count: reading }),
    failed > 0 && t("knowledge.failed", { count: failed }),
  ].filter(Boolean)
  return (
    <>
      {writable && <DropZone onFiles={add} />}
      <UploadList uploads={uploads} onRetry={retry} onCancel={cancel} />
      {error !== null && <ErrorNote error={error} />}
      {collection.files.length === 0 ? (
        <EmptyState icon={FileText} title={t("knowledge.noFiles")}>
          {t(writable ? "knowledge.noFilesHelp" : "knowledge.noFilesReader")}
        </EmptyState>
      ) : (
        <>
          <Toolbar>
            <SearchField label={t("files.search")} value={query} onValue={setQuery} />
            <Filter
              label={t("files.state")}
              value={status ?? ""}
              onValue={(value) => change({ status: value })}
              options={[
                { value: "", label: t("files.anyState") },
                ...states.map((value) => ({ value, label: stateWord(value) })),
              ]}
            />
            {writable && <RetryAll files={collection.files} onError={setError} />}
          </Toolbar>
          <p role="status" className="-mt-2 text-sm text-muted tabular">
            {summary.join(" · ")}
          </p>
          {found.length === 0 ? (
            <EmptyState
              icon={FileText}
              title={t("list.nothing")}
              action={<Button onClick={clear}>{t("list.clear")}</Button>}
            >
              {t("list.nothingHelp")}
            </EmptyState>
          ) : (
            <FileTable {...{ collection, writable }} files={shown} onError={setError} />
          )}
          <Pager
            page={page}
            pageSize={pageSize}
            total={found.length}
            onPage={(next) => change({ page: next })}
          />
        </>
      )}
    </>
  )
}

/** `/knowledge/$collectionId` */
export const CollectionFilesPage = () => {
  const { query, writable } = useCollection()
  return query.data ? <CollectionFiles collection={query.data} writable={writable} /> : null
}
