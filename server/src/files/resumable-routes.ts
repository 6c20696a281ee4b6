import { z } from "zod"
import { IdParams } from "../http/pagination.ts"
import { json, route } from "../http/route.ts"
import { UploadProgress, UploadQuery } from "./schema.ts"

const byId = { params: IdParams }
const notFoundResponse = { 404: { description: "Upload not found or expired" } }

export const uploadContentType = "application/offset+octet-stream"

/** `/api/v1/files/resumable`: resumable uploads (tus 1.0). */
export const resumableRoutes = {
  create: route("post", "/api/v1/files/resumable", {
    access: "user",
    grantsPrivileges: false,
    summary: "Start a tus 1.0 upload; the last segment of `Location` becomes the file's id",
    query: UploadQuery,
    responses: {
      201: { description: "Upload created; send its bytes to `Location`" },
      413: { description: "The file is too large" },
    },
  }),
  get: route("get", "/api/v1/files/resumable/:id", {
    access: "user",
    summary: "Get the progress of an upload; HEAD returns only the tus headers",
    ...byId,
    responses: { 200: json(UploadProgress, "Progress of the upload"), ...notFoundResponse },
  }),
  append: route("patch", "/api/v1/files/resumable/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Append bytes at `Upload-Offset`; the final bytes complete the file",
    ...byId,
    rawBody: { contentType: uploadContentType, schema: z.file() },
    responses: {
      204: { description: "Bytes stored; `Upload-Offset` is the new offset" },
      409: { description: "`Upload-Offset` does not match the upload's current offset" },
      ...notFoundResponse,
    },
  }),
  remove: route("delete", "/api/v1/files/resumable/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Cancel an upload",
    ...byId,
    responses: { 204: { description: "Upload and its bytes deleted" }, ...notFoundResponse },
  }),
  appendByPost: route("post", "/api/v1/files/resumable/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "PATCH or DELETE, named in `X-HTTP-Method-Override`, for clients limited to POST",
    ...byId,
    rawBody: { contentType: uploadContentType, schema: z.file() },
    responses: { 204: { description: "Same as PATCH or DELETE" }, ...notFoundResponse },
  }),
}
