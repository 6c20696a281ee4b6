import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { Download, FileX, RotateCw, Trash2 } from "lucide-react"
import { useState } from "react"
import { t } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { formatBytes, formatNumber } from "../../lib/format.ts"
import {
  contentUrl,
  type FileRecord,
  fileApi,
  fileQuery,
  fileUsedQuery,
} from "../../lib/library-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useMe } from "../../lib/session.ts"
import { Button } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { Loaded } from "../../ui/loaded.tsx"
import { BackLink, Facts, Page } from "../../ui/page.tsx"
import { Time } from "../../ui/time.tsx"
import { DeleteFile } from "./delete-file.tsx"
import { Preview } from "./preview.tsx"
import { FileState } from "./states.tsx"

const route = getRouteApi("/inside/knowledge/files/$fileId")

const UsedIn = ({ id }: { id: string }) => {
  const { data } = useQuery(fileUsedQuery(id))
  if (!data) return null
  if (data.length === 0) return t("files.unused")
  return (
    <span className="flex flex-wrap gap-x-3">
      {data.map((one) => (
        <Link
          key={one.id}
          to="/knowledge/$collectionId"
          params={{ collectionId: one.id }}
          className="text-accent hover:underline"
        >
          {one.name}
        </Link>
      ))}
    </span>
  )
}

const Details = ({ file }: { file: FileRecord }) => {
  const { meta, data, created_at } = file
  const { pages, passages, embedded } = data.progress
  return (
    <Facts
      rows={[
        [t("files.state"), <FileState key="state" data={data} />],
        [t("files.size"), formatBytes(meta.size)],
        [t("files.kind"), meta.format ?? meta.content_type],
        ...(pages === null ? [] : [[t("files.pages"), formatNumber(pages)] as const]),
        ...(passages === null ? [] : [[t("files.passages"), formatNumber(passages)] as const]),
        ...(embedded === 0 ? [] : [[t("files.embedded"), formatNumber(embedded)] as const]),
        [t("files.uploaded"), <Time key="at" at={created_at} />],
        [t("files.used"), <UsedIn key="used" id={file.id} />],
      ]}
    />
  )
}

const Actions = ({ file }: { file: FileRecord }) => {
  const me = useMe()
  const router = useRouter()
  const [deleting, setDeleting] = useState(false)
  const again = useMutation({
    mutationFn: () => fileApi.again(file.id),
    onSuccess: (record) => queryClient.setQueryData(fileQuery(file.id).queryKey, record),
  })
  const mine = me.role === "admin" || file.user_id === me.id
  const gone = (): void => {
    queryClient.removeQueries({ queryKey: ["files", "one", file.id] })
    void router.navigate({ to: "/knowledge/files" })
  }
  return (
    <>
      <a
        href={contentUrl(file.id)}
        download={file.filename}
        className="inline-flex h-8 items-center gap-1.5 rounded border border-line-strong/60 px-3 text-sm font-medium hover:bg-hover"
      >
        <Download aria-hidden className="size-4" />
        {t("files.download")}
      </a>
      {mine && (
        <Button icon={RotateCw} busy={again.isPending} onClick={() => again.mutate()}>
          {t("files.again")}
        </Button>
      )}
      {mine && (
        <Button look="danger" icon={Trash2} onClick={() => setDeleting(true)}>
          {t("files.delete")}
        </Button>
      )}
      {again.error && <ErrorNote error={again.error} />}
      {deleting && (
        <DeleteFile
          id={file.id}
          name={file.filename}
          onClose={() => setDeleting(false)}
          onGone={gone}
        />
      )}
    </>
  )
}

/** `/knowledge/files/$fileId`: a file's details and its extracted text. */
export const FilePage = () => {
  const { fileId } = route.useParams()
  const { at, page } = route.useSearch()
  const query = useQuery(fileQuery(fileId))
  const { data: file, error } = query
  const above = <BackLink to="/knowledge/files">{t("files.title")}</BackLink>
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title={t("files.one")} above={above}>
        <EmptyState icon={FileX} title={t("files.gone")}>
          {t("files.goneHelp")}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={file?.filename ?? t("files.one")}
      above={above}
      action={file && <Actions file={file} />}
    >
      <Loaded query={query} rows={8}>
        {(record) => (
          <>
            {record.data.error && (
              <p
                role="alert"
                className="rounded border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm"
              >
                {record.data.error}
              </p>
            )}
            <Details file={record} />
            <Preview key={record.id} file={record} at={at} page={page} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
