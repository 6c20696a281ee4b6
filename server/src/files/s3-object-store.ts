import { createWriteStream } from "node:fs"
import { open, rm } from "node:fs/promises"
import { pipeline } from "node:stream/promises"
import type { ObjectStore } from "./object-store.ts"
import { createS3Client, elementTexts, parseS3Url, type S3Client } from "./s3-client.ts"
import {
  createObjectReceiver,
  createUploadSpool,
  type ReceivedFile,
  type UploadSpoolDeps,
} from "./upload-spool.ts"

/** Size of an upload part; S3 requires at least 5 MB for all but the last. */
const partBytes = 8 * 1024 * 1024
/** A multipart upload of this age is abandoned. */
const staleMs = 24 * 3600 * 1000

const keyOf = (hash: string): string => `${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`

const readPart = async (path: string, from: number, size: number): Promise<Buffer> => {
  const file = await open(path, "r")
  try {
    const length = Math.min(partBytes, size - from)
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, from)
    if (bytesRead < length) throw new Error("The uploaded file on disk was truncated")
    return buffer
  } finally {
    await file.close()
  }
}

/** Multipart upload; aborted on failure, so no parts remain. */
const sendInParts = async (
  client: S3Client,
  key: string,
  { path, size }: ReceivedFile,
): Promise<void> => {
  const started = await client.text({ method: "POST", key, query: { uploads: "" } })
  const [uploadId = ""] = elementTexts(started, "UploadId")
  try {
    const tags: string[] = []
    for (let from = 0; from < size; from += partBytes) {
      const query = { partNumber: String(tags.length + 1), uploadId }
      const body = await readPart(path, from, size)
      const headers = await client.run({ method: "PUT", key, query, body })
      tags.push(String(headers.etag ?? ""))
    }
    const parts = tags.map(
      (tag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
    )
    const whole = `<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`
    const answer = await client.text({
      method: "POST",
      key,
      query: { uploadId },
      body: Buffer.from(whole),
    })
    // S3 can report a failed completion in the body of a 200 response.
    const [code] = elementTexts(answer, "Code")
    if (code) throw new Error(`The object store could not complete the multipart upload: ${code}`)
  } catch (error) {
    // What stays is removed hourly.
    await client.run({ method: "DELETE", key, query: { uploadId } }).catch(() => {})
    throw error
  }
}

const upload = async (client: S3Client, file: ReceivedFile): Promise<void> => {
  const key = keyOf(file.hash)
  if (file.size > partBytes) return sendInParts(client, key, file)
  await client.run({ method: "PUT", key, body: await readPart(file.path, 0, file.size) })
}

/** All keys below the prefix, page by page. */
const listKeys = async function* (client: S3Client, prefix: string): AsyncGenerator<string> {
  let token: string | undefined
  do {
    const query = { "list-type": "2", prefix, ...(token && { "continuation-token": token }) }
    const page = await client.text({ method: "GET", query })
    yield* elementTexts(page, "Key")
    token = elementTexts(page, "NextContinuationToken")[0]
  } while (token)
}

interface S3ObjectStoreDeps extends UploadSpoolDeps {
  url: string
}

/** Object store on S3. Uploads are buffered on the local disk until they are complete. */
export const createS3ObjectStore = ({ url, ...deps }: S3ObjectStoreDeps): ObjectStore => {
  const location = parseS3Url(url)
  const client = createS3Client(location)
  const spool = createUploadSpool(deps)

  const read: ObjectStore["read"] = async (hash, range) => {
    const headers = range && { headers: { range: `bytes=${range.start}-${range.end}` } }
    const found = await client.find({ method: "GET", key: keyOf(hash), ...headers })
    return found?.body ?? null
  }
  /** Not HEAD: its error responses have no body and so no error code. */
  const exists = async (hash: string): Promise<boolean> => {
    const found = await read(hash, { start: 0, end: 0 })
    found?.resume()
    return found !== null
  }
  const commit = async (file: ReceivedFile): Promise<void> => {
    if (!(await exists(file.hash))) await upload(client, file)
  }

  return {
    ...createObjectReceiver(spool, { prepare: commit, commit }),
    maxConcurrentCommits: 8,
    temporary: spool.temporary,

    localCopy: async (hash) => {
      const body = await read(hash)
      if (!body) return null
      const path = spool.temporary()
      const release = (): Promise<void> => rm(path, { force: true })
      try {
        await pipeline(body, createWriteStream(path, { mode: 0o600 }))
        return { path, release }
      } catch (error) {
        await release()
        throw error
      }
    },

    read,

    remove: async (hash) => {
      const deleted = await client.find({ method: "DELETE", key: keyOf(hash) })
      deleted?.body.resume()
    },

    async *list() {
      for await (const key of listKeys(client, location.prefix)) {
        const name = key.split("/").at(-1) ?? ""
        if (key === location.prefix + keyOf(name) && name.length === 64) yield name
      }
    },

    sweep: async (all) => {
      await spool.sweep(all)
      const page = await client.text({
        method: "GET",
        query: { uploads: "", prefix: location.prefix },
      })
      for (const part of page.split("<Upload>").slice(1)) {
        const [one = ""] = part.split("</Upload>", 1)
        const [key = ""] = elementTexts(one, "Key")
        const [uploadId = ""] = elementTexts(one, "UploadId")
        const [started = ""] = elementTexts(one, "Initiated")
        if (!key.startsWith(location.prefix) || Date.now() - Date.parse(started) < staleMs) continue
        const ownKey = key.slice(location.prefix.length)
        await client.run({ method: "DELETE", key: ownKey, query: { uploadId } })
      }
    },

    probe: async () => {
      await spool.probe()
      await client.run({ method: "PUT", key: "probe", body: Buffer.from("probe") })
      const deleted = await client.find({ method: "DELETE", key: "probe" })
      deleted?.body.resume()
    },

    close: client.close,
  }
}
