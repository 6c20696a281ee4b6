import type { IncomingMessage } from "node:http"
import { z } from "zod"
import { fail } from "../errors.ts"
import { ById } from "../http/pagination.ts"
import type { NodeExchange } from "../http/request-context.ts"
import { json, route } from "../http/route.ts"
import type { Request, Router } from "../http/router.ts"
import { collectionIn } from "./collection-upload.ts"
import type { Resumable } from "./resumable-uploads.ts"
import { UploadProgress, UploadQuery } from "./schema.ts"
import { metadataOf, nameOf } from "./upload.ts"

/** https://tus.io/protocols/resumable-upload, with these of its extensions. */
const version = "1.0.0"
const extensions = "creation,expiration,termination"
const bodyType = "application/offset+octet-stream"

const header = (incoming: IncomingMessage, name: string): string => {
  const value = incoming.headers[name]
  return typeof value === "string" ? value.trim() : ""
}

/** Every reply says which version is spoken; a request in another one is refused. */
const speak = ({ incoming, outgoing }: NodeExchange): void => {
  outgoing.setHeader("tus-resumable", version)
  outgoing.setHeader("cache-control", "no-store")
  if (header(incoming, "tus-resumable") === version) return
  fail("precondition_failed", `Send the header Tus-Resumable: ${version}`, {
    headers: { "tus-version": version },
  })
}

const numberIn = (incoming: IncomingMessage, name: string): number => {
  const parsed = z.coerce
    .number()
    .int()
    .min(0)
    .safeParse(header(incoming, name) || undefined)
  return parsed.success
    ? parsed.data
    : fail("bad_request", `The header ${name} must be a whole number`)
}

/** `key base64,key base64`; a key may stand without a value. */
const pairsIn = (text: string): Map<string, string> =>
  new Map(
    text.split(",").flatMap((pair) => {
      const [key = "", value = ""] = pair.trim().split(/\s+/)
      return key === "" ? [] : [[key.toLowerCase(), Buffer.from(value, "base64").toString()]]
    }),
  )

/** Whoever finishes an upload after a crash does so without its user's access to the collection. */
const refuseCollection = (metadata: Record<string, unknown>): Record<string, unknown> => {
  if (collectionIn(metadata) === null) return metadata
  const instead = "add the file to the collection once it is uploaded"
  return fail("bad_request", `A resumable upload cannot name a \`knowledge_id\`; ${instead}`)
}

const describe = (incoming: IncomingMessage) => {
  const pairs = pairsIn(header(incoming, "upload-metadata"))
  return {
    filename: nameOf(pairs.get("filename") ?? pairs.get("name")),
    content_type: pairs.get("filetype") ?? pairs.get("type") ?? "application/octet-stream",
    metadata: refuseCollection(metadataOf(pairs.get("metadata") ?? "")),
  }
}

const headersOf = ({ offset, size, expires_at }: UploadProgress): Record<string, string> => ({
  "upload-offset": String(offset),
  "upload-length": String(size),
  ...(expires_at !== null && { "upload-expires": new Date(expires_at * 1000).toUTCString() }),
})

type Asked = Pick<
  Request<"user", z.output<typeof ById>, unknown, unknown>,
  "caller" | "actor" | "params" | "exchange"
>

interface Deps {
  router: Router
  resumable: Resumable
}

/** `/api/v1/files/resumable`: uploads by tus 1.0, which go on where they broke off. */
export const resumableRoutes = ({ router, resumable }: Deps): Router => {
  const byId = { params: ById }
  const unknown = { 404: { description: "No such upload, or it has expired" } }

  const create = route("user", {
    method: "post",
    path: "/",
    givesAuthority: false,
    summary: "Begin an upload by tus 1.0; the file will have the id that `Location` ends with",
    query: UploadQuery,
    responses: {
      201: { description: "Begun; `Location` takes the bytes" },
      413: { description: "The file is too large" },
    },
  })
  router.on(create, async ({ caller, query, exchange }) => {
    speak(exchange)
    const { incoming } = exchange
    incoming.resume()
    const size = numberIn(incoming, "upload-length")
    const asked = { ...describe(incoming), size, process: query.process }
    const { id, ...progress } = await resumable.create(caller, asked)
    const headers = { ...headersOf(progress), location: `/api/v1/files/resumable/${id}` }
    return new Response(null, { status: 201, headers })
  })

  const progress = route("user", {
    method: "get",
    path: "/:id",
    summary: "How far an upload is; HEAD answers with the headers of tus alone",
    ...byId,
    responses: { 200: json(UploadProgress, "How far it is"), ...unknown },
  })
  router.on(progress, async ({ caller, actor, params, exchange }) => {
    const { method } = exchange.incoming
    if (method === "HEAD") speak(exchange)
    const found = await resumable.progress(actor, caller, params.id)
    const headers = headersOf(found)
    return method === "HEAD"
      ? new Response(null, { headers })
      : Response.json(found, { headers: { ...headers, "tus-extension": extensions } })
  })

  const goOn = async ({ caller, actor, params, exchange }: Asked): Promise<Response> => {
    const { incoming } = exchange
    const from = numberIn(incoming, "upload-offset")
    if (header(incoming, "content-type") !== bodyType) {
      fail("unsupported_media_type", `Send the bytes as ${bodyType}`)
    }
    const asked = { id: params.id, from, source: incoming }
    const headers = headersOf(await resumable.append(actor, caller, asked))
    return new Response(null, { status: 204, headers })
  }

  const end = async ({ caller, params }: Asked): Promise<Response> => {
    await resumable.remove(caller, params.id)
    return new Response(null, { status: 204 })
  }

  const patch = route("user", {
    method: "patch",
    path: "/:id",
    givesAuthority: false,
    summary: "Send bytes of an upload from `Upload-Offset` on; the last ones make it a file",
    ...byId,
    reads: { contentType: bodyType, schema: z.file() },
    responses: {
      204: { description: "Written; `Upload-Offset` says how far" },
      409: { description: "The upload goes on from another offset" },
      ...unknown,
    },
  })
  router.on(patch, (asked) => {
    speak(asked.exchange)
    return goOn(asked)
  })

  const remove = route("user", {
    method: "delete",
    path: "/:id",
    givesAuthority: false,
    summary: "Give an upload up",
    ...byId,
    responses: { 204: { description: "Its bytes are gone" }, ...unknown },
  })
  router.on(remove, (asked) => {
    speak(asked.exchange)
    return end(asked)
  })

  const instead = route("user", {
    method: "post",
    path: "/:id",
    givesAuthority: false,
    summary: "PATCH or DELETE for clients that cannot: named in `X-HTTP-Method-Override`",
    ...byId,
    reads: { contentType: bodyType, schema: z.file() },
    responses: { 204: { description: "As PATCH or DELETE" }, ...unknown },
  })
  router.on(instead, (asked) => {
    speak(asked.exchange)
    const method = header(asked.exchange.incoming, "x-http-method-override").toUpperCase()
    if (method === "PATCH") return goOn(asked)
    if (method === "DELETE") return end(asked)
    return fail("bad_request", "Name PATCH or DELETE in the header X-HTTP-Method-Override")
  })
  return router
}
