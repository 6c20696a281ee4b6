import { z } from "zod"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { whenClosed } from "../http/request-context.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { TransferRequest } from "../ownership/schema.ts"
import { createContentResponse } from "./content-response.ts"
import { toRecord } from "./file-store.ts"
import type { Files } from "./files.ts"
import type { ObjectStore } from "./object-store.ts"
import {
  FileListQuery,
  FileRecord,
  FileText,
  FileWithOwner,
  ProcessStatus,
  StatusQuery,
  TextQuery,
  UploadForm,
  UploadQuery,
} from "./schema.ts"
import { createStatusStream, toProcessStatus } from "./status-stream.ts"
import type { FileTransfer } from "./transfer.ts"
import type { UploadReceiver } from "./upload-receiver.ts"

interface Deps {
  router: Router
  files: Files
  uploadReceiver: UploadReceiver
  objects: ObjectStore
  fileTransfer: FileTransfer
  inFlight: InFlightRequests
  /** True if an external extraction engine is configured. */
  hasExtractionEngine: boolean
}

/** Longer than any processing, which has its own limits. */
const processingTimeoutMs = 3_600_000

/** `/api/v1/files`. */
export const fileRoutes = ({
  router,
  files,
  uploadReceiver,
  objects,
  fileTransfer,
  inFlight,
  ...settings
}: Deps): Router => {
  const byId = { params: IdParams }

  router.on("post", "/", {
    access: "user",
    grantsPrivileges: false,
    summary:
      "Upload a file as multipart/form-data with a part `file` and an optional JSON part `metadata`, whose `knowledge_id` adds the file to a collection",
    query: UploadQuery,
    rawBody: { contentType: "multipart/form-data", schema: UploadForm },
    responses: {
      200: json(FileRecord, "The file; processing continues in the background"),
      400: { description: "No file, more than one file, or an empty file" },
      403: { description: "No write access to the collection in `knowledge_id`" },
      404: { description: "No collection with this `knowledge_id`" },
      413: { description: "The file is too large" },
      415: { description: "Unsupported file type: no extractable text" },
    },
    handle: async ({ caller, actor, query, exchange }) => {
      const mustBeReadable = query.process && !settings.hasExtractionEngine
      const owner = caller.user.id
      const receive = () =>
        uploadReceiver.receive(
          exchange.incoming,
          { owner, requireReadable: mustBeReadable },
          (read) => files.add(actor, { upload: read, owner, caller, process: query.process }),
        )
      if (query.process_in_background || !query.process) return receive()
      const abort = new AbortController()
      const end = (): void => abort.abort()
      // Entered before anything is stored, as it may throw.
      const leave = inFlight.track(caller, { revoke: end, shutDown: end })
      whenClosed(exchange.outgoing, end)
      try {
        const added = await receive()
        const wait = { ms: processingTimeoutMs, signal: abort.signal }
        const processed = await files.waitForFile(added.id, files.isOver, wait)
        return processed ? toRecord(processed) : added
      } finally {
        leave()
      }
    },
  })

  router.on("get", "/", {
    access: "user",
    summary: "List your files; administrators see all files",
    query: FileListQuery,
    responses: { 200: json(Page(FileWithOwner), "One page of files") },
    handle: ({ caller, query }) => files.list(caller, query),
  })

  router.on("get", "/:id", {
    access: "user",
    summary: "Get a file",
    ...byId,
    responses: { 200: json(FileWithOwner, "The file"), 404: { description: "No such file" } },
    handle: async ({ caller, params }) =>
      files.withOwner(toRecord(await files.readable(caller, params.id))),
  })

  router.on("get", "/:id/content", {
    access: "user",
    summary: "Download a file; supports `Range`",
    ...byId,
    responses: {
      200: { description: "The file as uploaded", contentType: "application/octet-stream" },
      206: { description: "The requested range", contentType: "application/octet-stream" },
      404: { description: "No such file" },
    },
    handle: async ({ caller, params, exchange }) => {
      const file = await files.readable(caller, params.id)
      const { headers, method = "GET" } = exchange.incoming
      return createContentResponse(objects, file, {
        exchange,
        method,
        range: headers.range,
        ifRange: z.string().optional().catch(undefined).parse(headers["if-range"]),
        ifNoneMatch: headers["if-none-match"],
      })
    },
  })

  router.on("get", "/:id/data/content", {
    access: "user",
    summary: "Get the text extracted from a file, or a range of it",
    ...byId,
    query: TextQuery,
    responses: { 200: json(FileText, "The text; empty until it has been extracted") },
    handle: ({ caller, params, query }) => files.text(caller, params.id, query),
  })

  router.on("get", "/:id/process/status", {
    access: "user",
    summary:
      "Get a file's processing status; `?stream=true` streams each change until processing ends",
    ...byId,
    query: StatusQuery,
    responses: { 200: json(ProcessStatus, "The status") },
    handle: async ({ caller, params, query }) => {
      const file = await files.readable(caller, params.id)
      return query.stream
        ? createStatusStream(files, file, { caller, inFlight })
        : toProcessStatus(file)
    },
  })

  router.on("post", "/:id/process", {
    access: "user",
    grantsPrivileges: false,
    summary: "Process a file again",
    ...byId,
    responses: { 200: json(FileRecord, "The file") },
    handle: ({ caller, actor, params }) => files.reprocess(actor, caller, params.id),
  })

  router.on("delete", "/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a file and remove it from all collections",
    ...byId,
    responses: { 200: success("Deleted") },
    handle: ({ caller, actor, params }) => files.remove(actor, caller, params.id),
  })

  router.on("post", "/:id/transfer", {
    access: "user",
    grantsPrivileges: true,
    summary: "Hand a file over to another owner; it stays in its collections",
    ...byId,
    body: TransferRequest,
    responses: {
      200: success("The file was handed over"),
      403: { description: "Only the owner and administrators can do this" },
      404: { description: "No such file" },
      409: { description: "The new owner has reached a limit" },
    },
    handle: ({ caller, actor, params, body }) =>
      fileTransfer.transfer(actor, caller, { ...params, ...body }),
  })
  return router
}
