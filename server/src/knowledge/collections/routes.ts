import { hasGrants } from "../../grants/schema.ts"
import { DeletionConfirmation, InUseError } from "../../http/in-use.ts"
import { IdParams, Page } from "../../http/pagination.ts"
import { json, route, success } from "../../http/route.ts"
import { TransferRequest } from "../../ownership/schema.ts"
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
} from "../schema.ts"

const byId = { params: IdParams }
const collectionResponse = { 200: json(CollectionWithFiles, "The collection, with its files") }
const ownerOnly = { description: "Only the owner and administrators can do this" }

/** The routes under `/api/v1/knowledge`. */
export const collectionRoutes = {
  list: route("get", "/api/v1/knowledge", {
    access: "user",
    summary: "List the collections that you can read",
    query: CollectionListQuery,
    responses: { 200: json(Page(CollectionWithFiles), "One page of collections") },
  }),
  create: route("post", "/api/v1/knowledge/create", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Create a collection",
    body: NewCollection,
    responses: collectionResponse,
  }),
  get: route("get", "/api/v1/knowledge/:id", {
    access: "user",
    summary: "Get a collection",
    ...byId,
    responses: collectionResponse,
  }),
  files: route("get", "/api/v1/knowledge/:id/files", {
    access: "user",
    summary: "List the files of a collection in the order they were added",
    ...byId,
    query: CollectionFileQuery,
    responses: { 200: json(Page(CollectionFile), "One page of files") },
  }),
  update: route("post", "/api/v1/knowledge/:id/update", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Update a collection; only its owner and administrators can change access_grants",
    ...byId,
    body: CollectionChanges,
    responses: { ...collectionResponse, 403: ownerOnly },
  }),
  remove: route("delete", "/api/v1/knowledge/:id/delete", {
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
  }),
  transfer: route("post", "/api/v1/knowledge/:id/transfer", {
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
  }),
  addFile: route("post", "/api/v1/knowledge/:id/file/add", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add a file in any processing state (idempotent)",
    ...byId,
    body: FileId,
    responses: collectionResponse,
  }),
  addFiles: route("post", "/api/v1/knowledge/:id/files/batch/add", {
    access: "user",
    grantsPrivileges: false,
    summary: "Add several files",
    ...byId,
    body: FileIds,
    responses: collectionResponse,
  }),
  removeFile: route("post", "/api/v1/knowledge/:id/file/remove", {
    access: "user",
    grantsPrivileges: false,
    summary: "Remove a file from the collection without deleting it",
    ...byId,
    body: FileId,
    responses: collectionResponse,
  }),
  reset: route("post", "/api/v1/knowledge/:id/reset", {
    access: "user",
    grantsPrivileges: false,
    summary: "Remove all files from the collection without deleting them",
    ...byId,
    responses: collectionResponse,
  }),
  query: route("post", "/api/v1/knowledge/:id/query", {
    access: "user",
    grantsPrivileges: false,
    summary: "Search a collection, with each passage's scores and why it would be used in a chat",
    ...byId,
    body: CollectionQuery,
    responses: { 200: json(CollectionSearchResult, "Passages, best first") },
  }),
}
