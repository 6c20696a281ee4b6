import { hasGrants } from "../grants/schema.ts"
import { IdParams, Page, SuccessStatus, successBody } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Collections } from "./collections.ts"
import {
  CollectionChanges,
  CollectionFile,
  CollectionFileQuery,
  CollectionListQuery,
  CollectionQuery,
  CollectionSearchResult,
  CollectionWithFiles,
  FileId,
  FileIds,
  NewCollection,
} from "./schema.ts"
import type { SearchExplanation } from "./search-explanation.ts"

interface Deps {
  router: Router
  collections: Collections
  explanation: SearchExplanation
}

/** The routes under `/api/v1/knowledge`. */
export const knowledgeRoutes = ({ router, collections, explanation }: Deps): Router => {
  const byId = { params: IdParams }
  const collectionResponse = { 200: json(CollectionWithFiles, "The collection, with its files") }
  const ownerOnly = { description: "Only the owner and administrators can do this" }

  const list = route("user", {
    method: "get",
    path: "/",
    summary: "List the collections that you can read",
    query: CollectionListQuery,
    responses: { 200: json(Page(CollectionWithFiles), "One page of collections") },
  })
  router.on(list, ({ caller, query }) => collections.list(caller, query))

  const create = route("user", {
    method: "post",
    path: "/create",
    grantsPrivileges: hasGrants,
    summary: "Create a collection",
    body: NewCollection,
    responses: collectionResponse,
  })
  router.on(create, ({ caller, actor, body }) => collections.create(actor, caller, body))

  const get = route("user", {
    method: "get",
    path: "/:id",
    summary: "Get a collection",
    ...byId,
    responses: collectionResponse,
  })
  router.on(get, ({ caller, params }) => collections.get(caller, params.id))

  const files = route("user", {
    method: "get",
    path: "/:id/files",
    summary: "List the files of a collection in the order they were added",
    ...byId,
    query: CollectionFileQuery,
    responses: { 200: json(Page(CollectionFile), "One page of files") },
  })
  router.on(files, ({ caller, params, query }) => collections.files(caller, params.id, query))

  const update = route("user", {
    method: "post",
    path: "/:id/update",
    grantsPrivileges: hasGrants,
    summary: "Update a collection; only its owner and administrators can change access_grants",
    ...byId,
    body: CollectionChanges,
    responses: { ...collectionResponse, 403: ownerOnly },
  })
  router.on(update, ({ caller, actor, params, body }) =>
    collections.update(actor, caller, { id: params.id, changes: body }),
  )

  const remove = route("user", {
    method: "delete",
    path: "/:id/delete",
    grantsPrivileges: false,
    summary: "Delete a collection without its files; owner and administrators only",
    ...byId,
    responses: { 200: json(SuccessStatus, "The collection was deleted"), 403: ownerOnly },
  })
  router.on(remove, async ({ caller, actor, params }) => {
    await collections.remove(actor, caller, params.id)
    return successBody
  })

  const add = route("user", {
    method: "post",
    path: "/:id/file/add",
    grantsPrivileges: false,
    summary: "Add a file in any processing state (idempotent)",
    ...byId,
    body: FileId,
    responses: collectionResponse,
  })
  router.on(add, ({ caller, actor, params, body }) =>
    collections.addFiles(actor, caller, { id: params.id, fileIds: [body.file_id] }),
  )

  const addMany = route("user", {
    method: "post",
    path: "/:id/files/batch/add",
    grantsPrivileges: false,
    summary: "Add several files",
    ...byId,
    body: FileIds,
    responses: collectionResponse,
  })
  router.on(addMany, ({ caller, actor, params, body }) => {
    const fileIds = body.map(({ file_id }) => file_id)
    return collections.addFiles(actor, caller, { id: params.id, fileIds })
  })

  const removeFile = route("user", {
    method: "post",
    path: "/:id/file/remove",
    grantsPrivileges: false,
    summary: "Remove a file from the collection without deleting it",
    ...byId,
    body: FileId,
    responses: collectionResponse,
  })
  router.on(removeFile, ({ caller, actor, params, body }) =>
    collections.removeFile(actor, caller, { id: params.id, fileId: body.file_id }),
  )

  const reset = route("user", {
    method: "post",
    path: "/:id/reset",
    grantsPrivileges: false,
    summary: "Remove all files from the collection without deleting them",
    ...byId,
    responses: collectionResponse,
  })
  router.on(reset, ({ caller, actor, params }) => collections.reset(actor, caller, params.id))

  const query = route("user", {
    method: "post",
    path: "/:id/query",
    grantsPrivileges: false,
    summary: "Search a collection, with each passage's scores and why it would be used in a chat",
    ...byId,
    body: CollectionQuery,
    responses: { 200: json(CollectionSearchResult, "Passages, best first") },
  })
  router.on(query, ({ caller, params, body }) => explanation.query(caller, params.id, body))
  return router
}
