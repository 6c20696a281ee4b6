import { IdParams, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { FilePassages } from "./file-passages.ts"
import { FileCollections, FileOutline, FilePassage, PassageQuery } from "./schema.ts"

/** The routes under `/api/v1/files/{id}/` for passages and collections. */
export const fileKnowledgeRoutes = (router: Router, filePassages: FilePassages): Router => {
  const passages = route("user", {
    method: "get",
    path: "/:id/passages",
    summary: "List the passages of a file in order",
    params: IdParams,
    query: PassageQuery,
    responses: {
      200: json(Page(FilePassage), "One page of passages; empty until the file is processed"),
    },
  })
  router.on(passages, ({ caller, params, query }) =>
    filePassages.passages(caller, params.id, query),
  )

  const outline = route("user", {
    method: "get",
    path: "/:id/outline",
    summary:
      "Get a file's outline: its headings, pages, slides or sheets, and their offsets in the text",
    params: IdParams,
    responses: { 200: json(FileOutline, "The outline in reading order; may be empty") },
  })
  router.on(outline, ({ caller, params }) => filePassages.outline(caller, params.id))

  const collections = route("user", {
    method: "get",
    path: "/:id/collections",
    summary: "List the collections that contain a file and that you can read",
    params: IdParams,
    responses: { 200: json(FileCollections, "The collections, sorted by name") },
  })
  router.on(collections, ({ caller, params }) => filePassages.usedIn(caller, params.id))
  return router
}
