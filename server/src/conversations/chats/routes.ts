import { z } from "zod"
import { IdParams, Page } from "../../http/pagination.ts"
import { json, route, success } from "../../http/route.ts"
import {
  ChatImport,
  ChatImportQuery,
  ChatImportResult,
  ExportAllQuery,
  ExportedChat,
  ExportedChats,
  ExportQuery,
} from "../import-export/schema.ts"
import {
  Chat,
  ChatChanges,
  ChatLabels,
  ChatListItem,
  ChatListQuery,
  ChatWithMessages,
  NewChat,
} from "../schema.ts"

const notFound = { description: "Chat not found, or you do not have access to it" }

/** The routes for a user's chats: list, update, share, export, import. */
export const chatRoutes = {
  exportAll: route("get", "/api/v1/chats/export", {
    access: "user",
    summary: "Export all your chats, or some of them, as one file",
    query: ExportAllQuery,
    responses: { 200: json(ExportedChats, "Every chat with all branches") },
  }),
  import: route("post", "/api/v1/chats/import", {
    access: "user",
    grantsPrivileges: false,
    summary: "Import chats from an exported file as new chats",
    rawBody: { contentType: "application/json", schema: ChatImport },
    query: ChatImportQuery,
    bodyLimits: { maxBytes: 50_000_000, maxValues: 1_000_000 },
    responses: {
      200: json(ChatImportResult, "The ids of the new chats"),
      422: { description: "No readable chats found" },
    },
  }),
  copy: route("post", "/api/v1/chats/:id/copy", {
    access: "user",
    grantsPrivileges: false,
    summary: "Copy a chat that you may read as a new chat of your own",
    params: IdParams,
    responses: { 200: json(Chat, "The new chat"), 404: notFound },
  }),
  export: route("get", "/api/v1/chats/:id/export", {
    access: "user",
    summary: "Export a chat: JSON with all branches, or the current branch as Markdown",
    params: IdParams,
    query: ExportQuery,
    responses: { 200: json(ExportedChat, "The chat"), 404: notFound },
  }),
  list: route("get", "/api/v1/chats", {
    access: "user",
    summary: "List your chats; `query` searches titles and messages",
    query: ChatListQuery,
    responses: { 200: json(Page(ChatListItem), "One page of chats, latest first by default") },
  }),
  create: route("post", "/api/v1/chats/new", {
    access: "user",
    grantsPrivileges: false,
    summary: "Create a chat",
    body: NewChat,
    responses: { 200: json(Chat, "The new chat") },
  }),
  labels: route("get", "/api/v1/chats/labels", {
    access: "user",
    summary: "List the folders and tags in use",
    responses: { 200: json(ChatLabels, "In alphabetical order; at most 1,000 of each") },
  }),
  get: route("get", "/api/v1/chats/:id", {
    access: "user",
    summary: "Get a chat with its last messages, including answers in progress",
    params: IdParams,
    responses: { 200: json(ChatWithMessages, "The chat"), 404: notFound },
  }),
  update: route("post", "/api/v1/chats/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Update a chat: title, folder, tags, pinned, archived, system prompt, parameters",
    params: IdParams,
    body: ChatChanges,
    responses: { 200: json(Chat, "The updated chat"), 404: notFound },
  }),
  remove: route("delete", "/api/v1/chats/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Permanently delete a chat",
    params: IdParams,
    responses: { 200: success("The chat was deleted"), 404: notFound },
  }),
  share: route("post", "/api/v1/chats/:id/share", {
    access: "user",
    grantsPrivileges: ({ shared }) => shared,
    summary: "Share a chat with every approved account, or stop sharing it",
    params: IdParams,
    body: z.object({ shared: z.boolean().default(true) }),
    responses: { 200: json(Chat, "The updated chat"), 404: notFound },
  }),
}
