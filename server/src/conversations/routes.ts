import { z } from "zod"
import { parseJsonObject } from "../http/json-object.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { streamText } from "../http/stream-response.ts"
import type { ChatCopy } from "./chat-copy.ts"
import type { Chats } from "./conversations.ts"
import type { ChatExport } from "./export.ts"
import {
  ChatImport,
  ChatImportQuery,
  ChatImportResult,
  ExportAllQuery,
  ExportedChat,
  ExportedChats,
  ExportQuery,
} from "./import-export-schema.ts"
import type { Importer } from "./importer.ts"
import {
  Chat,
  ChatChanges,
  ChatLabels,
  ChatListItem,
  ChatListQuery,
  ChatWithMessages,
  NewChat,
} from "./schema.ts"

const notFound = { description: "Chat not found, or you do not have access to it" }

const fileNameOf = (title: string): string =>
  title
    .replace(/[^\p{L}\p{N} _-]+/gu, "")
    .trim()
    .slice(0, 60) || "chat"

const download = (body: ReadableStream, type: string, name: string): Response =>
  new Response(body, {
    headers: {
      "content-type": type,
      "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(name)}`,
    },
  })

const transferRoutes = ({ router, chats, chatExport, importer, copyChat }: Deps): void => {
  router.on("get", "/export", {
    access: "user",
    summary: "Export all your chats, or some of them, as one file",
    query: ExportAllQuery,
    responses: { 200: json(ExportedChats, "Every chat with all branches") },
    handle: async ({ caller, query, exchange, createPieceCounter }) => {
      const chatJson = chatExport.allJson(caller, createPieceCounter(), query.ids)
      const body = streamText(chatJson, exchange)
      return download(body, "application/json", "portico-chats.json")
    },
  })
  router.on("post", "/import", {
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
    handle: async ({ caller, query, readBody }) =>
      importer.import(caller, parseJsonObject(await readBody()), query),
  })
  router.on("post", "/:id/copy", {
    access: "user",
    grantsPrivileges: false,
    summary: "Copy a chat that you may read as a new chat of your own",
    params: IdParams,
    responses: { 200: json(Chat, "The new chat"), 404: notFound },
    handle: ({ caller, params }) => copyChat(caller, params.id),
  })
  router.on("get", "/:id/export", {
    access: "user",
    summary: "Export a chat: JSON with all branches, or the current branch as Markdown",
    params: IdParams,
    query: ExportQuery,
    responses: { 200: json(ExportedChat, "The chat"), 404: notFound },
    handle: async ({ caller, params, query, exchange, createPieceCounter }) => {
      const chat = await chats.requireReadable(caller, params.id)
      const request = { caller, chat, countPiece: createPieceCounter() }
      const name = fileNameOf(chat.title)
      if (query.format === "markdown") {
        const text = streamText(chatExport.branchMarkdown(request), exchange)
        return download(text, "text/markdown; charset=utf-8", `${name}.md`)
      }
      const text = streamText(chatExport.chatJson(request), exchange)
      return download(text, "application/json", `${name}.json`)
    },
  })
}

interface Deps {
  router: Router
  chats: Chats
  chatExport: ChatExport
  importer: Importer
  copyChat: ChatCopy
}

/** The routes for a user's chats: list, update, share, export, import. */
export const chatListRoutes = (deps: Deps): Router => {
  const { router, chats } = deps
  router.on("get", "/", {
    access: "user",
    summary: "List your chats; `query` searches titles and messages",
    query: ChatListQuery,
    responses: { 200: json(Page(ChatListItem), "One page of chats, latest first by default") },
    handle: ({ caller, query }) => chats.list(caller, query),
  })
  router.on("post", "/new", {
    access: "user",
    grantsPrivileges: false,
    summary: "Create a chat",
    body: NewChat,
    responses: { 200: json(Chat, "The new chat") },
    handle: ({ caller, body }) => chats.create(caller, body),
  })
  router.on("get", "/labels", {
    access: "user",
    summary: "List the folders and tags in use",
    responses: { 200: json(ChatLabels, "In alphabetical order; at most 1,000 of each") },
    handle: ({ caller }) => chats.labels(caller),
  })
  transferRoutes(deps)
  router.on("get", "/:id", {
    access: "user",
    summary: "Get a chat with its last messages, including answers in progress",
    params: IdParams,
    responses: { 200: json(ChatWithMessages, "The chat"), 404: notFound },
    handle: ({ caller, params }) => chats.get(caller, params.id),
  })
  router.on("post", "/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Update a chat: title, folder, tags, pinned, archived, system prompt, parameters",
    params: IdParams,
    body: ChatChanges,
    responses: { 200: json(Chat, "The updated chat"), 404: notFound },
    handle: ({ caller, params, body }) => chats.update(caller, params.id, body),
  })
  router.on("delete", "/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Permanently delete a chat",
    params: IdParams,
    responses: { 200: success("The chat was deleted"), 404: notFound },
    handle: ({ actor, caller, params }) => chats.remove(actor, caller, params.id),
  })
  router.on("post", "/:id/share", {
    access: "user",
    grantsPrivileges: ({ shared }) => shared,
    summary: "Share a chat with every approved account, or stop sharing it",
    params: IdParams,
    body: z.object({ shared: z.boolean().default(true) }),
    responses: { 200: json(Chat, "The updated chat"), 404: notFound },
    handle: ({ actor, caller, params, body }) =>
      chats.share(actor, caller, { id: params.id, shared: body.shared }),
  })
  return router
}
