import type { FileRecord } from "../../../server/src/files/schema.ts"
import { t } from "../i18n/translate.ts"
import { ApiError, restoreSessionAfter, UnreachableError } from "./api.ts"

/** A file to upload and its path within the chosen folder. */
export interface SelectedFile {
  file: File
  path: string
}

interface UploadOptions {
  /** The collection to add the file to. */
  collectionId: string | undefined
  onProgress: (bytes: number) => void
  signal: AbortSignal
}

const toApiError = (request: XMLHttpRequest): ApiError => {
  const headers = new Headers()
  const id = request.getResponseHeader("x-request-id")
  if (id) headers.set("x-request-id", id)
  const { status, statusText } = request
  let body: { detail?: string; code?: string } = {}
  try {
    body = JSON.parse(request.responseText)
  } catch {
    // Not JSON, such as a proxy's error page: the status has to suffice.
  }
  return new ApiError(new Response(null, { status, statusText, headers }), body)
}

/** Uses XMLHttpRequest, because fetch reports no upload progress. */
const uploadOnce = (
  { file, path }: SelectedFile,
  { collectionId, onProgress, signal }: UploadOptions,
): Promise<FileRecord> =>
  new Promise((resolve, reject) => {
    const form = new FormData()
    const metadata = {
      ...(path !== file.name && { path }),
      ...(collectionId !== undefined && { knowledge_id: collectionId }),
    }
    if (Object.keys(metadata).length > 0) form.append("metadata", JSON.stringify(metadata))
    form.append("file", file, file.name)
    const request = new XMLHttpRequest()
    request.open("POST", "/api/v1/files/")
    request.upload.addEventListener("progress", ({ loaded }) =>
      onProgress(Math.min(loaded, file.size)),
    )
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText))
      else reject(toApiError(request))
    })
    request.addEventListener("error", () => reject(new UnreachableError(t("upload.interrupted"))))
    request.addEventListener("abort", () => reject(signal.reason))
    signal.addEventListener("abort", () => request.abort(), { once: true })
    request.send(form)
  })

/**
 * Uploads one file. If the session has ended, waits until the user has signed in again.
 * @throws {ApiError} when the gateway rejects it
 * @throws {UnreachableError} when the connection fails
 */
export const uploadFile = async (
  selected: SelectedFile,
  options: UploadOptions,
): Promise<FileRecord> => {
  try {
    return await uploadOnce(selected, options)
  } catch (error) {
    if (!(await restoreSessionAfter(error, options.signal))) throw error
    return uploadOnce(selected, options)
  }
}
