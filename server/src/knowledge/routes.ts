import { hasGrants } from "../grants/schema.ts"
import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { TransferRequest } from "../ownership/schema.ts"
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
import type { CollectionTransfer } from "./transfer.ts"

interface Deps {
  router: Router
  collections: Collections
  transfer: CollectionTransfer
  explanation: SearchExplanation
}

/** The routes under `/api/v1/knowledge`. */
export const knowledgeRoutes = ({ router, collections, transfer, explanation }: Deps): Router => {
  const byId = { params: IdParams }
  const collectionResponse = { 200: json(CollectionWithFiles, "The collection, with its files") }
  const ownerOnly = { description: "Only the owner and administrators can do this" }

  router.on("get", "/", {
    access: "user",
    summary: "List the collections that you can read",
    query: CollectionListQuery,
    responses: { 200: json(Page(CollectionWithFiles), "One page of collections") },
    handle: ({ caller, query }) => collections.list(caller, query),
  })

  router.on("post", "/create", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Create a collection",
    body: NewCollection,
    responses: collectionResponse,
    handle: ({ caller, actor, body }) => collections.create(actor, caller, body),
  })

  router.on("get", "/:id", {
    access: "user",
    summary: "Get a collection",
    ...byId,
    responses: collectionResponse,
    handle: ({ caller, params }) => collections.get(caller, params.id),
  })

  router.on("get", "/:id/files", {
    access: "user",
    summary: "List the files of a collection in the order they were added",
    ...byId,
    query: CollectionFileQuery,
    responses: { 200: json(Page(CollectionFile), "One page of files") },
    handle: ({ caller, params, query }) => collections.files(caller, params.id, query),
  })

  router.on("post", "/:id/update", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Update a collection; only its owner and administrators can change access_grants",
    ...byId,
    body: CollectionChanges,
    responses: { ...collectionResponse, 403: ownerOnly },
    handle: ({ caller, actor, params, body }) =>
      collections.update({ actor, caller, id: params.id }, body),
  })

  router.on("delete", "/:id/delete", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a collection without its files; owner and administrators only",
    ...byId,
    query: DeletionConfirmation,
    responses: {
      200: success("The collection was deleted"),
      403: ownerOnly,
      409: json(InUseError, "Models search the collection, and the deletion was not confirmed"),
    },
    handle: ({ caller, actor, params, query }) =>
      collections.remove({ actor, caller, id: params.id }, query),
  })

  router.on("post", "/:id/transfer", {
    access: "user",
    grantsPrivileges: true,
    summary: "Hand a collection and its files over to another owner",
    ...byId,
    body: TransferRequest,
    responses: {
      200: success("The collection was handed over"),
      403: ownerOnly,
      409: { description: "The new owner has reached a limit" },
    },
    handle: ({ caller, actor, params, body }) =>
      transfer.transfer(actor, caller, { ...params, ...body }),
  })

  router.on("post", "/:id/file/add", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add a file in any processing state (idempotent)",
    ...byId,
    body: FileId,
    responses: collectionResponse,
    handle: ({ caller, actor, params, body }) =>
      collections.addFiles({ actor, caller, id: params.id }, [body.file_id]),
  })

  router.on("post", "/:id/files/batch/add", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add several files",
    ...byId,
    body: FileIds,
    responses: collectionResponse,
    handle: ({ caller, actor, params, body }) => {
      const fileIds = body.map(({ file_id }) => file_id)
      return collections.addFiles({ actor, caller, id: params.id }, fileIds)
    },
  })

  router.on("post", "/:id/file/remove", {
    access: "user",
    grantsPrivileges: false,
    summary: "Remove a file from the collection without deleting it",
    ...byId,
    body: FileId,
    responses: collectionResponse,
    handle: ({ caller, actor, params, body }) =>
      collections.removeFile({ actor, caller, id: params.id }, body.file_id),
  })

  router.on("post", "/:id/reset", {
    access: "user",
    grantsPrivileges: false,
    summary: "Remove all files from the collection without deleting them",
    ...byId,
    responses: collectionResponse,
    handle: ({ caller, actor, params }) => collections.reset({ actor, caller, id: params.id }),
  })

  router.on("post", "/:id/query", {
    access: "user",
    grantsPrivileges: false,
    summary: "Search a collection, with each passage's scores and why it would be used in a chat",
    ...byId,
    body: CollectionQuery,
    responses: { 200: json(CollectionSearchResult, "Passages, best first") },
    handle: ({ caller, params, body }) => explanation.query(caller, params.id, body),
  })
  return router
}
