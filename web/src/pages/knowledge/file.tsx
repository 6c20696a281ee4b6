import { useMutation, useQuery } from "@tanstack/react-query"
import { getRouteApi, Link, useRouter } from "@tanstack/react-router"
import { FileType, FileX, RotateCw, Trash2, UserRoundPen } from "lucide-react"
import { useState } from "react"
import { t, translateServerText } from "../../i18n/translate.ts"
import { ApiError } from "../../lib/api.ts"
import { formatBytes, formatLanguage, formatNumber } from "../../lib/format.ts"
import {
  type FileWithOwner,
  fileApi,
  fileCollectionsQuery,
  fileContentUrl,
  fileQuery,
} from "../../lib/knowledge-api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { useCurrentUser } from "../../lib/session.ts"
import { Button, DownloadLink } from "../../ui/button.tsx"
import { EmptyState } from "../../ui/empty-state.tsx"
import { ErrorNote } from "../../ui/error-note.tsx"
import { BackLink, DefinitionList, Page } from "../../ui/page.tsx"
import { QueryResult } from "../../ui/query-result.tsx"
import { Time } from "../../ui/time.tsx"
import { mayManage } from "../grants/access.ts"
import { ownerName } from "../ownership/owner-name.ts"
import { TransferDialog } from "../ownership/transfer-dialog.tsx"
import { DeleteFile } from "./delete-file.tsx"
import { EncodingDialog, mayChooseEncoding } from "./encoding-dialog.tsx"
import { FilePreview } from "./file-preview.tsx"
import { describeProgress, FileState } from "./file-states.tsx"
import { FileWarnings } from "./file-warnings.tsx"

const route = getRouteApi("/inside/knowledge/files/$fileId")

const UsedIn = ({ id }: { id: string }) => {
  const { data } = useQuery(fileCollectionsQuery(id))
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

const Details = ({ file }: { file: FileWithOwner }) => {
  const { meta, data, created_at } = file
  const { pages, passages, embedded } = data.progress
  return (
    <DefinitionList
      rows={[
        [t("label.status"), <FileState key="state" data={data} />],
        [t("label.size"), formatBytes(meta.size)],
        [t("label.type"), meta.format ?? meta.content_type],
        ...(data.encoding === null ? [] : [[t("files.encoding"), data.encoding] as const]),
        ...(pages === null ? [] : [[t("files.pages"), formatNumber(pages)] as const]),
        ...(passages === null ? [] : [[t("files.passages"), formatNumber(passages)] as const]),
        ...(passages === null || embedded === 0
          ? []
          : [[t("label.semanticSearch"), describeProgress(embedded, passages)] as const]),
        ...(meta.language === null
          ? []
          : [[t("files.language"), formatLanguage(meta.language)] as const]),
        ...(meta.document_date === null
          ? []
          : [[t("files.documentDate"), <Time key="date" at={meta.document_date} />] as const]),
        [t("files.uploaded"), <Time key="at" at={created_at} />],
        [t("files.used"), <UsedIn key="used" id={file.id} />],
        [t("label.owner"), ownerName(file)],
      ]}
    />
  )
}

const Actions = ({ file }: { file: FileWithOwner }) => {
  const me = useCurrentUser()
  const router = useRouter()
  const [deleting, setDeleting] = useState(false)
  const [transferring, setTransferring] = useState(false)
  const [choosingEncoding, setChoosingEncoding] = useState(false)
  const reprocess = useMutation({
    mutationFn: () => fileApi.reprocess(file.id),
    onSuccess: (record) =>
      queryClient.setQueryData(fileQuery(file.id).queryKey, { ...file, ...record }),
  })
  const mayEdit = mayManage(me, file)
  const onDeleted = (): void => {
    queryClient.removeQueries({ queryKey: ["files", "one", file.id] })
    void router.navigate({ to: "/knowledge/files" })
  }
  return (
    <>
      <DownloadLink href={fileContentUrl(file.id)} name={file.filename}>
        {t("files.download")}
      </DownloadLink>
      {mayEdit && (
        <Button icon={RotateCw} busy={reprocess.isPending} onClick={() => reprocess.mutate()}>
          {t("files.again")}
        </Button>
      )}
      {mayEdit && mayChooseEncoding(file) && (
        <Button icon={FileType} onClick={() => setChoosingEncoding(true)}>
          {t("files.otherEncoding")}
        </Button>
      )}
      {mayEdit && (
        <Button icon={UserRoundPen} onClick={() => setTransferring(true)}>
          {t("action.handOver")}
        </Button>
      )}
      <TransferDialog
        target={{
          name: file.filename,
          user_id: file.user_id,
          transfer: (to) => fileApi.transfer(file.id, to),
        }}
        open={transferring}
        onClose={() => setTransferring(false)}
        backTo="/knowledge/files"
        invalidates={[["files"]]}
      />
      {mayEdit && (
        <Button variant="danger" icon={Trash2} onClick={() => setDeleting(true)}>
          {t("files.delete")}
        </Button>
      )}
      {choosingEncoding && (
        <EncodingDialog file={file} onClose={() => setChoosingEncoding(false)} />
      )}
      {reprocess.error && <ErrorNote error={reprocess.error} />}
      {deleting && (
        <DeleteFile
          id={file.id}
          name={file.filename}
          onClose={() => setDeleting(false)}
          onDeleted={onDeleted}
        />
      )}
    </>
  )
}

/** `/knowledge/files/$fileId`: a file's details and its extracted text. */
export const FilePage = () => {
  const { fileId } = route.useParams()
  const search = route.useSearch()
  const query = useQuery(fileQuery(fileId))
  const { data: file, error } = query
  const above = <BackLink to="/knowledge/files">{t("label.files")}</BackLink>
  if (error instanceof ApiError && error.status === 404) {
    return (
      <Page title={t("label.file")} breadcrumb={above}>
        <EmptyState icon={FileX} title={t("files.gone")}>
          {t("error.goneHelp")}
        </EmptyState>
      </Page>
    )
  }
  return (
    <Page
      title={file?.filename ?? t("label.file")}
      breadcrumb={above}
      action={file && <Actions file={file} />}
    >
      <QueryResult query={query} rows={8}>
        {(record) => (
          <>
            {record.data.error && (
              <p
                role="alert"
                className="rounded border border-danger/40 bg-danger-soft px-3 py-2.5 text-sm"
              >
                {translateServerText(record.data.error, record.data.error_reference)}
              </p>
            )}
            <FileWarnings warnings={record.data.warnings} />
            <Details file={record} />
            <FilePreview key={record.id} file={record} search={search} />
          </>
        )}
      </QueryResult>
    </Page>
  )
}
