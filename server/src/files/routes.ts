import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { TransferRequest } from "../ownership/schema.ts"
import {
  FileListQuery,
  FileRecord,
  FileText,
  FileWithOwner,
  ProcessRequest,
  ProcessStatus,
  StatusQuery,
  TextQuery,
  UploadForm,
  UploadQuery,
} from "./schema.ts"

const byId = { params: IdParams }

/** `/api/v1/files`. */
export const fileRoutes = {
  upload: route("post", "/api/v1/files", {
    access: "user",
    grantsPrivileges: false,
    summary:
      "Upload a file as multipart/form-data with a part `file` and an optional JSON part `metadata`, whose `knowledge_id` adds the file to a collection",
    query: UploadQuery,
    rawBody: { contentType: "multipart/form-data", schema: UploadForm },
    responses: {
      200: json(FileRecord, "The file; processing continues in the background"),
      400: { description: "No file, more than one file, or an empty file" },
      403: { description: "No write access to the collection in `knowledge_id`" },
      404: { description: "No collection with this `knowledge_id`" },
      413: { description: "The file is too large" },
      415: { description: "Unsupported file type: no extractable text" },
    },
  }),
  list: route("get", "/api/v1/files", {
    access: "user",
    summary: "List your files; administrators see all files",
    query: FileListQuery,
    responses: { 200: json(Page(FileWithOwner), "One page of files") },
  }),
  get: route("get", "/api/v1/files/:id", {
    access: "user",
    summary: "Get a file",
    ...byId,
    responses: { 200: json(FileWithOwner, "The file"), 404: { description: "No such file" } },
  }),
  content: route("get", "/api/v1/files/:id/content", {
    access: "user",
    summary: "Download a file; supports `Range`",
    ...byId,
    responses: {
      200: { description: "The file as uploaded", contentType: "application/octet-stream" },
      206: { description: "The requested range", contentType: "application/octet-stream" },
      404: { description: "No such file" },
    },
  }),
  text: route("get", "/api/v1/files/:id/data/content", {
    access: "user",
    summary: "Get the text extracted from a file, or a range of it",
    ...byId,
    query: TextQuery,
    responses: { 200: json(FileText, "The text; empty until it has been extracted") },
  }),
  status: route("get", "/api/v1/files/:id/process/status", {
    access: "user",
    summary:
      "Get a file's processing status; `?stream=true` streams each change until processing ends",
    ...byId,
    query: StatusQuery,
    responses: { 200: json(ProcessStatus, "The status") },
  }),
  process: route("post", "/api/v1/files/:id/process", {
    access: "user",
    grantsPrivileges: false,
    summary: "Process a file again; its present text can be found until the new one is complete",
    ...byId,
    body: ProcessRequest,
    responses: {
      200: json(FileRecord, "The file"),
      400: { description: "Unknown encoding" },
    },
  }),
  remove: route("delete", "/api/v1/files/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a file and remove it from all collections",
    ...byId,
    responses: { 200: success("Deleted") },
  }),
  transfer: route("post", "/api/v1/files/:id/transfer", {
    access: "user",
    grantsPrivileges: true,
    summary: "Hand a file over to another owner; it stays in its collections",
    ...byId,
    body: TransferRequest,
    responses: {
      200: success("The file was handed over"),
      403: { description: "Only the owner and administrators can do this" },
      404: { description: "No such file" },
      409: { description: "The new owner has reached a limit" },
    },
  }),
}
