import type { IncomingMessage } from "node:http"
import { z } from "zod"
import { fail } from "../errors.ts"
import type { IdParams } from "../http/pagination.ts"
import type { NodeRequestContext } from "../http/request-context.ts"
import type { RouteRequest } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { parseCollectionId } from "./collection-upload.ts"
import { parseMetadata, sanitizeFilename } from "./multipart-upload.ts"
import { resumableRoutes, uploadContentType } from "./resumable-routes.ts"
import type { ResumableUploads } from "./resumable-uploads.ts"
import type { UploadProgress } from "./schema.ts"

/** https://tus.io/protocols/resumable-upload, with the extensions listed below. */
const version = "1.0.0"
const extensions = "creation,expiration,termination"

const header = (incoming: IncomingMessage, name: string): string => {
  const value = incoming.headers[name]
  return typeof value === "string" ? value.trim() : ""
}

/** Sets the version header and rejects requests for any other protocol version. */
const checkTusVersion = ({ incoming, outgoing }: NodeRequestContext): void => {
  outgoing.setHeader("tus-resumable", version)
  outgoing.setHeader("cache-control", "private, no-store")
  if (header(incoming, "tus-resumable") === version) return
  fail("precondition_failed", `Send the header "Tus-Resumable: ${version}".`, {
    headers: { "tus-version": version },
  })
}

const parseIntegerHeader = (incoming: IncomingMessage, name: string): number => {
  const parsed = z.coerce
    .number()
    .int()
    .min(0)
    .safeParse(header(incoming, name) || undefined)
  return parsed.success
    ? parsed.data
    : fail("bad_request", `The header ${name} must be a non-negative integer.`)
}

/** Parses `Upload-Metadata`: `key base64,key base64`. A key may have no value. */
const parseUploadMetadata = (text: string): Map<string, string> =>
  new Map(
    text.split(",").flatMap((pair) => {
      const [key = "", value = ""] = pair.trim().split(/\s+/)
      return key === "" ? [] : [[key.toLowerCase(), Buffer.from(value, "base64").toString()]]
    }),
  )

/** After a crash, the cleanup job finishes uploads without the user's access to the collection. */
const rejectCollection = (metadata: Record<string, unknown>): Record<string, unknown> => {
  if (parseCollectionId(metadata) === null) return metadata
  const instead = "Add the file to the collection after the upload."
  return fail("bad_request", `Resumable uploads do not support \`knowledge_id\`. ${instead}`)
}

const parseFileDetails = (incoming: IncomingMessage) => {
  const pairs = parseUploadMetadata(header(incoming, "upload-metadata"))
  return {
    filename: sanitizeFilename(pairs.get("filename") ?? pairs.get("name")),
    content_type: pairs.get("filetype") ?? pairs.get("type") ?? "application/octet-stream",
    metadata: rejectCollection(parseMetadata(pairs.get("metadata") ?? "")),
  }
}

const headersOf = ({ offset, size, expires_at }: UploadProgress): Record<string, string> => ({
  "upload-offset": String(offset),
  "upload-length": String(size),
  ...(expires_at !== null && { "upload-expires": new Date(expires_at * 1000).toUTCString() }),
})

type UploadRequest = Pick<
  RouteRequest<"user", z.output<typeof IdParams>, unknown, unknown>,
  "caller" | "actor" | "params" | "context"
>

/** `/api/v1/files/resumable`: resumable uploads (tus 1.0). */
export const createResumableRouter = (router: Router, resumable: ResumableUploads): Router => {
  router.on(resumableRoutes.create, async ({ caller, query, context }) => {
    checkTusVersion(context)
    const { incoming } = context
    incoming.resume()
    const size = parseIntegerHeader(incoming, "upload-length")
    const request = { ...parseFileDetails(incoming), size, process: query.process }
    const { id, ...progress } = await resumable.create(caller, request)
    const headers = { ...headersOf(progress), location: `/api/v1/files/resumable/${id}` }
    return new Response(null, { status: 201, headers })
  })

  router.on(resumableRoutes.get, async ({ caller, actor, params, context }) => {
    const { method } = context.incoming
    if (method === "HEAD") checkTusVersion(context)
    const found = await resumable.progress(actor, caller, params.id)
    const headers = headersOf(found)
    return method === "HEAD"
      ? new Response(null, { headers })
      : Response.json(found, { headers: { ...headers, "tus-extension": extensions } })
  })

  const appendBytes = async ({
    caller,
    actor,
    params,
    context,
  }: UploadRequest): Promise<Response> => {
    const { incoming } = context
    const from = parseIntegerHeader(incoming, "upload-offset")
    if (header(incoming, "content-type") !== uploadContentType) {
      fail("unsupported_media_type", `Set Content-Type to ${uploadContentType}.`)
    }
    const request = { id: params.id, from, source: incoming }
    const headers = headersOf(await resumable.append(actor, caller, request))
    return new Response(null, { status: 204, headers })
  }

  const cancelUpload = async ({ caller, params }: UploadRequest): Promise<Response> => {
    await resumable.remove(caller, params.id)
    return new Response(null, { status: 204 })
  }

  router.on(resumableRoutes.append, (request) => {
    checkTusVersion(request.context)
    return appendBytes(request)
  })

  router.on(resumableRoutes.remove, (request) => {
    checkTusVersion(request.context)
    return cancelUpload(request)
  })

  router.on(resumableRoutes.appendByPost, (request) => {
    checkTusVersion(request.context)
    const method = header(request.context.incoming, "x-http-method-override").toUpperCase()
    if (method === "PATCH") return appendBytes(request)
    if (method === "DELETE") return cancelUpload(request)
    return fail("bad_request", "Set the header X-HTTP-Method-Override to PATCH or DELETE.")
  })
  return router
}
