import { ById, Page } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { Reading } from "./file-passages.ts"
import { FileOutline, FilePassage, PassageQuery, UsedIn } from "./schema.ts"

/** `/api/v1/files/{id}/…`, as far as passages and collections are concerned. */
export const fileKnowledgeRoutes = (router: Router, reading: Reading): Router => {
  const passages = route("user", {
    method: "get",
    path: "/:id/passages",
    summary: "The passages that a file was split into, in their order",
    params: ById,
    query: PassageQuery,
    responses: { 200: json(Page(FilePassage), "One page of passages; none until it was read") },
  })
  router.on(passages, ({ caller, params, query }) => reading.passages(caller, params.id, query))

  const outline = route("user", {
    method: "get",
    path: "/:id/outline",
    summary: "The pages, slides, sheets or headings of a file, and where each begins in its text",
    params: ById,
    responses: { 200: json(FileOutline, "In the order of the text; empty where there are none") },
  })
  router.on(outline, ({ caller, params }) => reading.outline(caller, params.id))

  const collections = route("user", {
    method: "get",
    path: "/:id/collections",
    summary: "The collections that a file lies in, as far as you may read them",
    params: ById,
    responses: { 200: json(UsedIn, "By name") },
  })
  router.on(collections, ({ caller, params }) => reading.usedIn(caller, params.id))
  return router
}
