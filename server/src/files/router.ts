import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { whenClosed } from "../http/request-context.ts"
import type { Router } from "../http/router.ts"
import { createContentResponse } from "./content-response.ts"
import { toFileRecord } from "./file-store.ts"
import type { Files } from "./files.ts"
import type { ObjectStore } from "./object-store.ts"
import type { FileOwnershipTransfer } from "./ownership-transfer.ts"
import { fileRoutes } from "./routes.ts"
import { createStatusStream, toProcessStatus } from "./status-stream.ts"
import type { UploadReceiver } from "./upload-receiver.ts"

interface Deps {
  router: Router
  files: Files
  uploadReceiver: UploadReceiver
  objects: ObjectStore
  fileTransfer: FileOwnershipTransfer
  inFlight: InFlightRequests
  /** True if an external extraction engine is configured. */
  hasExtractionEngine: boolean
}

/** Longer than any processing, which has its own limits. */
const processingTimeoutMs = 3_600_000

/** `/api/v1/files`. */
export const createFileRouter = ({
  router,
  files,
  uploadReceiver,
  objects,
  fileTransfer,
  inFlight,
  ...settings
}: Deps): Router => {
  router.on(fileRoutes.upload, async ({ caller, actor, query, context }) => {
    const requiresText = query.process && !settings.hasExtractionEngine
    const owner = caller.user.id
    const receive = () =>
      uploadReceiver.receive(context.incoming, { owner, requiresText }, (read) =>
        files.add(actor, { upload: read, owner, caller, process: query.process }),
      )
    if (query.process_in_background || !query.process) return receive()
    const abort = new AbortController()
    const end = (): void => abort.abort()
    // Entered before anything is stored, as it may throw.
    const leave = inFlight.track(caller, { revoke: end, shutDown: end })
    whenClosed(context.outgoing, end)
    try {
      const added = await receive()
      const wait = { ms: processingTimeoutMs, signal: abort.signal }
      const processed = await files.waitForFile(added.id, files.isProcessed, wait)
      return processed ? toFileRecord(processed) : added
    } finally {
      leave()
    }
  })

  router.on(fileRoutes.list, ({ caller, query }) => files.list(caller, query))

  router.on(fileRoutes.get, async ({ caller, params }) =>
    files.withOwner(toFileRecord(await files.getReadable(caller, params.id))),
  )

  router.on(fileRoutes.content, async ({ caller, params, context }) => {
    const file = await files.getReadable(caller, params.id)
    return createContentResponse(objects, file, context)
  })

  router.on(fileRoutes.text, ({ caller, params, query }) => files.text(caller, params.id, query))

  router.on(fileRoutes.status, async ({ caller, params, query }) => {
    const file = await files.getReadable(caller, params.id)
    return query.stream
      ? createStatusStream(files, file, { caller, inFlight })
      : toProcessStatus(file)
  })

  router.on(fileRoutes.process, ({ caller, actor, params, body }) =>
    files.reprocess(actor, caller, { ...params, ...body }),
  )

  router.on(fileRoutes.remove, ({ caller, actor, params }) =>
    files.remove(actor, caller, params.id),
  )

  router.on(fileRoutes.transfer, ({ caller, actor, params, body }) =>
    fileTransfer.transfer(actor, caller, { ...params, ...body }),
  )
  return router
}
