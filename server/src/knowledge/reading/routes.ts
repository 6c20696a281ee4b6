import { IdParams, Page } from "../../http/pagination.ts"
import { json, route } from "../../http/route.ts"
import {
  FileCollections,
  FileOutline,
  FilePassage,
  LocatedPassage,
  PassageQuery,
  SoughtPassage,
} from "../schema.ts"

/** The routes under `/api/v1/files/{id}/` for passages and collections. */
export const fileKnowledgeRoutes = {
  passages: route("get", "/api/v1/files/:id/passages", {
    access: "user",
    summary: "List the passages of a file in order",
    params: IdParams,
    query: PassageQuery,
    responses: {
      200: json(Page(FilePassage), "One page of passages; empty until the file is processed"),
    },
  }),
  locate: route("post", "/api/v1/files/:id/passages/locate", {
    access: "user",
    grantsPrivileges: false,
    summary:
      "Find a cited passage in a file whose text was extracted again since, by its letters and digits",
    params: IdParams,
    body: SoughtPassage,
    responses: { 200: json(LocatedPassage, "Where the passage is now") },
  }),
  outline: route("get", "/api/v1/files/:id/outline", {
    access: "user",
    summary:
      "Get a file's outline: its headings, pages, slides or sheets, and their offsets in the text",
    params: IdParams,
    responses: { 200: json(FileOutline, "The outline in reading order; may be empty") },
  }),
  collections: route("get", "/api/v1/files/:id/collections", {
    access: "user",
    summary: "List the collections that contain a file and that you can read",
    params: IdParams,
    responses: { 200: json(FileCollections, "The collections, sorted by name") },
  }),
}
