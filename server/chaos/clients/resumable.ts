import type { Chooser } from "../../test/harness/random.ts"
import { hangUp, wireOf } from "./hang-up.ts"

const path = "/api/v1/files/resumable"
const size = 400_000
const timeoutMs = 10_000
/** Bytes of a disconnected client may still arrive between HEAD and PATCH. */
const maxConflicts = 3
/** Unfinished uploads at the same time. */
const maxOpen = 12

interface Upload {
  path: string
  content: Buffer
}

/** Text in which every line is unique. */
const contentOf = (number: number): Buffer => {
  const lines = Array.from({ length: size / 20 }, (_, line) => `upload ${number} line ${line}`)
  return Buffer.from(lines.join("\n").padEnd(size).slice(0, size))
}

/** Resumable uploads of one user, continued and aborted concurrently. */
export const createUploads = (url: string, key: string) => {
  const open: (Upload | null)[] = Array.from({ length: maxOpen }, () => null)
  const headers = { authorization: `Bearer ${key}`, "tus-resumable": "1.0.0" }
  let made = 0

  const begin = async (): Promise<Upload> => {
    const number = made++
    const filename = Buffer.from(`upload-${number}.txt`).toString("base64")
    const response = await fetch(url + path, {
      method: "POST",
      headers: {
        ...headers,
        "upload-length": String(size),
        "upload-metadata": `filename ${filename}`,
      },
    })
    await response.arrayBuffer()
    const location = response.headers.get("location")
    if (!location) throw new Error(`creating an upload failed: ${response.status}`)
    return { path: location, content: contentOf(number) }
  }

  const offsetOf = async (upload: Upload): Promise<number> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url + upload.path, { method: "HEAD", headers, signal }).catch(
      (cause: unknown) => {
        throw new Error(`no reply for the offset of upload ${upload.path}: ${cause}`)
      },
    )
    if (!response.ok)
      throw new Error(`reading the offset of upload ${upload.path} failed: ${response.status}`)
    return Number(response.headers.get("upload-offset"))
  }

  const patch = (upload: Upload, offset: number) => ({
    method: "PATCH",
    path: upload.path,
    headers: {
      ...headers,
      "upload-offset": String(offset),
      "content-type": "application/offset+octet-stream",
    },
    body: upload.content.subarray(offset),
  })

  const finishOne = async (upload: Upload, conflicts = 0): Promise<string | null> => {
    const offset = await offsetOf(upload)
    const { path, ...init } = patch(upload, offset)
    const signal = AbortSignal.timeout(timeoutMs)
    const sent = offset < size ? await fetch(url + path, { ...init, signal }) : null
    if (sent?.status === 409 && conflicts < maxConflicts) {
      await sent.arrayBuffer()
      return finishOne(upload, conflicts + 1)
    }
    if (sent && sent.status !== 204) {
      return `${path} resumed at ${offset}: ${sent.status} ${await sent.text()}`
    }
    const file = `${url}/api/v1/files/${path.split("/").at(-1)}/content`
    const kept = Buffer.from(await (await fetch(file, { headers, signal })).arrayBuffer())
    return kept.equals(upload.content)
      ? null
      : `${path} resumed at ${offset} and differs from what was sent`
  }

  return {
    made: () => made,

    /** Resumes one upload and disconnects in the middle. */
    goOn: async (random: Chooser): Promise<void> => {
      const slot = random.below(maxOpen)
      const upload = open[slot] ?? (await begin())
      open[slot] = upload
      const offset = await offsetOf(upload)
      if (offset === size) open[slot] = null
      else await hangUp(random, url, wireOf(random, patch(upload, offset)))
    },

    /** Completes every upload. @returns the problems found */
    finish: async (): Promise<string[]> => {
      const problems: string[] = []
      for (const upload of open.filter((one) => one !== null)) {
        const wrong = await finishOne(upload).catch((error: unknown) => String(error))
        if (wrong) problems.push(wrong)
      }
      return problems
    },
  }
}
