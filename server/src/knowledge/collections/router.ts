import { Failure } from "../../errors.ts"
import { whenClosed } from "../../http/request-context.ts"
import type { Router } from "../../http/router.ts"
import type { SearchExplanation } from "../search/search-explanation.ts"
import type { CollectionTransfer } from "./collection-transfer.ts"
import type { Collections } from "./collections.ts"
import { collectionRoutes } from "./routes.ts"

interface Deps {
  router: Router
  collections: Collections
  transfer: CollectionTransfer
  explanation: SearchExplanation
}

/** The routes under `/api/v1/knowledge`. */
export const createCollectionRouter = (deps: Deps): Router => {
  const { router, collections, transfer, explanation } = deps
  router.on(collectionRoutes.list, ({ caller, query }) => collections.list(caller, query))

  router.on(collectionRoutes.create, ({ caller, actor, body }) =>
    collections.create(actor, caller, body),
  )

  router.on(collectionRoutes.get, ({ caller, params }) => collections.get(caller, params.id))

  router.on(collectionRoutes.files, ({ caller, params, query }) =>
    collections.files(caller, params.id, query),
  )

  router.on(collectionRoutes.update, ({ caller, actor, params, body }) =>
    collections.update({ actor, caller, id: params.id }, body),
  )

  router.on(collectionRoutes.remove, ({ caller, actor, params, query }) =>
    collections.remove({ actor, caller, id: params.id }, query),
  )

  router.on(collectionRoutes.transfer, ({ caller, actor, params, body }) =>
    transfer.transfer(actor, caller, { ...params, ...body }),
  )

  router.on(collectionRoutes.addFile, ({ caller, actor, params, body }) =>
    collections.addFiles({ actor, caller, id: params.id }, [body.file_id]),
  )

  router.on(collectionRoutes.addFiles, ({ caller, actor, params, body }) => {
    const fileIds = body.map(({ file_id }) => file_id)
    return collections.addFiles({ actor, caller, id: params.id }, fileIds)
  })

  router.on(collectionRoutes.removeFile, ({ caller, actor, params, body }) =>
    collections.removeFile({ actor, caller, id: params.id }, body.file_id),
  )

  router.on(collectionRoutes.reset, ({ caller, actor, params }) =>
    collections.reset({ actor, caller, id: params.id }),
  )

  router.on(collectionRoutes.query, ({ context, caller, params, body }) => {
    const abort = new AbortController()
    whenClosed(context.outgoing, () =>
      abort.abort(new Failure("bad_request", "The client disconnected")),
    )
    return explanation.query(caller, { ...body, id: params.id }, abort.signal)
  })
  return router
}
