import { IdParams, Page } from "../http/pagination.ts"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { FilePassages } from "./file-passages.ts"
import { FileCollections, FileOutline, FilePassage, PassageQuery } from "./schema.ts"

/** The routes under `/api/v1/files/{id}/` for passages and collections. */
export const fileKnowledgeRoutes = (router: Router, filePassages: FilePassages): Router => {
  router.on("get", "/:id/passages", {
    access: "user",
    summary: "List the passages of a file in order",
    params: IdParams,
    query: PassageQuery,
    responses: {
      200: json(Page(FilePassage), "One page of passages; empty until the file is processed"),
    },
    handle: ({ caller, params, query }) => filePassages.passages(caller, params.id, query),
  })

  router.on("get", "/:id/outline", {
    access: "user",
    summary:
      "Get a file's outline: its headings, pages, slides or sheets, and their offsets in the text",
    params: IdParams,
    responses: { 200: json(FileOutline, "The outline in reading order; may be empty") },
    handle: ({ caller, params }) => filePassages.outline(caller, params.id),
  })

  router.on("get", "/:id/collections", {
    access: "user",
    summary: "List the collections that contain a file and that you can read",
    params: IdParams,
    responses: { 200: json(FileCollections, "The collections, sorted by name") },
    handle: ({ caller, params }) => filePassages.usedIn(caller, params.id),
  })
  return router
}
