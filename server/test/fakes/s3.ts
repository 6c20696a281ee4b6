import { createHash, randomUUID } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { buffer } from "node:stream/consumers"
import { signHeaders } from "../../src/files/s3-signature.ts"
import { listenOnLoopback } from "../harness/ports.ts"

const accountKeys = { id: "the-key", secret: "the/secret+", region: "eu-test-1" }
const pageSize = 3

interface Multipart {
  key: string
  parts: Map<number, Buffer>
  initiated: string
}

/**
 * Starts an in-memory S3-compatible store: one bucket, small pages, Signature Version 4 required.
 */
export const startFakeS3 = async () => {
  const objects = new Map<string, Buffer>()
  const uploads = new Map<string, Multipart>()
  let fault: ((request: IncomingMessage, url: URL) => number | null) | null = null

  const etag = (bytes: Buffer): string => `"${createHash("md5").update(bytes).digest("hex")}"`

  const isSigned = (request: IncomingMessage, url: URL, body: Buffer): boolean => {
    const payload = createHash("sha256").update(body).digest("hex")
    const { authorization = "", "x-amz-date": time = "" } = request.headers
    const names = /SignedHeaders=([^,]*)/.exec(authorization)?.[1]?.split(";") ?? []
    const signedNames = names.filter((name) => !name.startsWith("x-amz-"))
    const headers = Object.fromEntries(
      signedNames.map((name) => [name, String(request.headers[name])]),
    )
    const date = new Date(
      String(time).replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
    )
    const query = Object.fromEntries(url.searchParams)
    const { method = "" } = request
    const expected = signHeaders(
      { method, path: url.pathname, query, headers, payload, date },
      accountKeys,
    )
    return signedNames.includes("host") && expected.authorization === authorization
  }

  const listKeys = (url: URL): string => {
    const prefix = url.searchParams.get("prefix") ?? ""
    const all = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort()
    const from = Number(url.searchParams.get("continuation-token") ?? 0)
    const found = all
      .slice(from, from + pageSize)
      .map((key) => `<Contents><Key>${key}</Key></Contents>`)
    const next = from + pageSize
    const nextToken =
      next < all.length ? `<NextContinuationToken>${next}</NextContinuationToken>` : ""
    return `<ListBucketResult>${found.join("")}${nextToken}</ListBucketResult>`
  }

  const listUploads = (): string => {
    const found = [...uploads].map(
      ([id, { key, initiated }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${initiated}</Initiated></Upload>`,
    )
    return `<ListMultipartUploadsResult>${found.join("")}</ListMultipartUploadsResult>`
  }

  const serveBucket = (url: URL, response: ServerResponse): void => {
    response.end(url.searchParams.has("uploads") ? listUploads() : listKeys(url))
  }

  const put = (key: string, url: URL, body: Buffer): string => {
    const upload = uploads.get(url.searchParams.get("uploadId") ?? "")
    if (upload) upload.parts.set(Number(url.searchParams.get("partNumber")), body)
    else objects.set(key, body)
    return etag(body)
  }

  const post = (key: string, url: URL): string => {
    const id = url.searchParams.get("uploadId")
    if (id === null) {
      const uploadId = randomUUID()
      uploads.set(uploadId, { key, parts: new Map(), initiated: new Date().toISOString() })
      return `<InitiateMultipartUploadResult><UploadId>${uploadId}</UploadId></InitiateMultipartUploadResult>`
    }
    const parts = uploads.get(id)?.parts ?? new Map<number, Buffer>()
    const ordered = [...parts].sort(([a], [z]) => a - z).map(([, part]) => part)
    uploads.delete(id)
    objects.set(key, Buffer.concat(ordered))
    return "<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"
  }

  const get = (request: IncomingMessage, key: string, response: ServerResponse): void => {
    const bytes = objects.get(key)
    if (!bytes) {
      response.writeHead(404).end("<Error><Code>NoSuchKey</Code></Error>")
      return
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? "") ?? []
    if (from === undefined) response.end(bytes)
    else response.writeHead(206).end(bytes.subarray(Number(from), Number(to) + 1))
  }

  const remove = (key: string, url: URL): void => {
    const id = url.searchParams.get("uploadId")
    if (id === null) objects.delete(key)
    else uploads.delete(id)
  }

  /** @returns true if a fault replaced the response */
  const applyFault = (request: IncomingMessage, url: URL, response: ServerResponse): boolean => {
    const status = fault?.(request, url) ?? null
    if (status === 0) request.socket.destroy()
    else if (status !== null) response.writeHead(status).end("<Error><Code>SlowDown</Code></Error>")
    return status !== null
  }

  const serveObject = (
    request: IncomingMessage,
    { url, body, key }: { url: URL; body: Buffer; key: string },
    response: ServerResponse,
  ): void => {
    const { method } = request
    if (method === "PUT") response.writeHead(200, { etag: put(key, url, body) }).end()
    else if (method === "POST") response.end(post(key, url))
    else if (method === "DELETE") {
      remove(key, url)
      response.writeHead(204).end()
    } else get(request, key, response)
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://s3")
    const body = await buffer(request)
    if (applyFault(request, url, response)) return
    if (!isSigned(request, url, body)) {
      response.writeHead(403).end("<Error><Code>SignatureDoesNotMatch</Code></Error>")
      return
    }
    const key = decodeURIComponent(url.pathname).split("/").slice(2).join("/")
    if (key === "") serveBucket(url, response)
    else serveObject(request, { url, body, key }, response)
  }

  const server = createServer((request, response) => void answer(request, response))
  const port = await listenOnLoopback(server)
  const credentials = `${accountKeys.id}:${encodeURIComponent(accountKeys.secret)}`
  return {
    url: `http://${credentials}@127.0.0.1:${port}/files/of%20ours?region=${accountKeys.region}`,
    objects,
    uploads,
    /** Sets a function that returns the status of an error to inject; 0 closes the connection. */
    setFault: (newFault: typeof fault): void => {
      fault = newFault
    },
    close: (): void => {
      server.closeAllConnections()
      server.close()
    },
  }
}

export type FakeS3 = Awaited<ReturnType<typeof startFakeS3>>
