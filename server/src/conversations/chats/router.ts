import { parseJsonObject } from "../../http/json-object.ts"
import type { Router } from "../../http/router.ts"
import { streamText } from "../../http/stream-response.ts"
import type { ChatExport } from "../import-export/chat-export.ts"
import type { ChatImporter } from "../import-export/chat-importer.ts"
import type { ChatCopy } from "./chat-copy.ts"
import type { Chats } from "./chats.ts"
import { chatRoutes } from "./routes.ts"

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
  router.on(chatRoutes.exportAll, async ({ caller, query, context, createPieceCounter }) => {
    const chatJson = chatExport.allJson(caller, createPieceCounter(), query.ids)
    const body = streamText(chatJson, context)
    return download(body, "application/json", "portico-chats.json")
  })
  router.on(chatRoutes.import, async ({ caller, query, readBody }) =>
    importer.import(caller, parseJsonObject(await readBody()), query),
  )
  router.on(chatRoutes.copy, ({ caller, params }) => copyChat(caller, params.id))
  router.on(chatRoutes.export, async ({ caller, params, query, context, createPieceCounter }) => {
    const chat = await chats.getReadable(caller, params.id)
    const request = { caller, chat, countPiece: createPieceCounter() }
    const name = fileNameOf(chat.title)
    if (query.format === "markdown") {
      const text = streamText(chatExport.branchMarkdown(request), context)
      return download(text, "text/markdown; charset=utf-8", `${name}.md`)
    }
    const text = streamText(chatExport.chatJson(request), context)
    return download(text, "application/json", `${name}.json`)
  })
}

interface Deps {
  router: Router
  chats: Chats
  chatExport: ChatExport
  importer: ChatImporter
  copyChat: ChatCopy
}

/** The routes for a user's chats: list, update, share, export, import. */
export const createChatRouter = (deps: Deps): Router => {
  const { router, chats } = deps
  router.on(chatRoutes.list, ({ caller, query }) => chats.list(caller, query))
  router.on(chatRoutes.create, ({ caller, body }) => chats.create(caller, body))
  router.on(chatRoutes.labels, ({ caller }) => chats.labels(caller))
  transferRoutes(deps)
  router.on(chatRoutes.get, ({ caller, params }) => chats.get(caller, params.id))
  router.on(chatRoutes.update, ({ caller, params, body }) => chats.update(caller, params.id, body))
  router.on(chatRoutes.remove, ({ actor, caller, params }) =>
    chats.remove(actor, caller, params.id),
  )
  router.on(chatRoutes.share, ({ actor, caller, params, body }) =>
    chats.share(actor, caller, { id: params.id, shared: body.shared }),
  )
  return router
}
