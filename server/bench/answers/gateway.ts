import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { pino } from "pino"
import { z } from "zod"
import { readConfig } from "../../src/config/config.ts"
import { CollectionSearchResult } from "../../src/knowledge/schema.ts"
import { serve } from "../../src/serve.ts"
import { contentOf } from "./dated-document.ts"
import type { Question, SourceFile } from "./question-set.ts"

const key = "sk-bench-key-of-the-answers-benchmark-0123456789"
const pollMs = 1000
const maxLinks = 1000
const rewritingTimeoutMs = 30_000
const concurrency = 4

/** More than a second, in which times are stored. */
const uploadTimeMs = 1100

const WithId = z.object({ id: z.string() })
const IndexedCollection = z.object({
  file_counts: z.object({ total: z.int(), completed: z.int(), failed: z.int() }),
})
const ModelStatus = z.object({
  model: z
    .object({ id: z.string(), available: z.boolean(), reason: z.string().nullable() })
    .nullable(),
  admin: z.object({ building: z.object({}).nullable() }),
})

export interface CollectionSettings {
  search: "hybrid" | "lexical"
  query_rewriting: "off" | "on"
}

export const plainSettings: CollectionSettings = { search: "hybrid", query_rewriting: "off" }

/** Processes all items, `concurrency` at a time. */
export const forEachConcurrently = async <T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> => {
  const remaining = items.values()
  const workOff = async (): Promise<void> => {
    for (const item of remaining) await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, workOff))
}

export interface AnswersGatewayOptions {
  /** By default, SQLite. */
  databaseUrl?: string | undefined
  /** OpenAI-style providers: addresses that end in `/v1`. By default, none. */
  providers?: readonly string[]
  /** By default, the built-in model. */
  embeddingModel?: string | undefined
}

/** Starts a freshly installed gateway. */
export const startAnswersGateway = async ({
  databaseUrl,
  providers = [],
  embeddingModel,
}: AnswersGatewayOptions) => {
  const dataDir = mkdtempSync(join(tmpdir(), "portico-answers-"))
  const config = readConfig({
    PORT: "0",
    DATA_DIR: dataDir,
    ADMIN_EMAIL: "bench@example.com",
    ADMIN_API_KEY: key,
    OLLAMA_BASE_URLS: ";",
    OPENAI_API_BASE_URLS: providers.join(";"),
    ...(embeddingModel && { EMBEDDING_MODEL: embeddingModel }),
    INSTALL_GUIDE: "false",
    SECRET_KEY: "a secret key for the benchmark, long enough",
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  })
  const serving = await serve(config, pino({ level: "error" }))

  const call = async <T>(
    schema: z.ZodType<T>,
    path: string,
    body?: FormData | object,
  ): Promise<T> => {
    const response = await fetch(serving.url + path, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${key}` },
      ...(body && { body: body instanceof FormData ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
    return schema.parse(JSON.parse(text))
  }

  const upload = async (file: SourceFile): Promise<string> => {
    const form = new FormData()
    form.append("file", new Blob([contentOf(file)]), file.name)
    return (await call(WithId, "/api/v1/files/", form)).id
  }

  const isIndexed = async (collection: string): Promise<boolean> => {
    const { file_counts: counts } = await call(IndexedCollection, `/api/v1/knowledge/${collection}`)
    if (counts.failed > 0) throw new Error(`processing failed for ${counts.failed} files`)
    const { model, admin } = await call(ModelStatus, "/api/v1/embedding-model")
    if (model?.available === false) throw new Error(`${model.id}: ${model.reason}`)
    return counts.completed === counts.total && model !== null && admin.building === null
  }

  return {
    call,

    /** @returns their ids; they are indexed in the background */
    uploadAll: async (files: Iterable<SourceFile>): Promise<Map<SourceFile, string>> => {
      const ids = new Map<SourceFile, string>()
      const uploadSome = (some: readonly SourceFile[]): Promise<void> =>
        forEachConcurrently(some, async (file) => void ids.set(file, await upload(file)))
      const all = [...new Set(files)]
      await uploadSome(all.filter(({ isLater }) => !isLater))
      const later = all.filter(({ isLater }) => isLater)
      if (later.length > 0) await sleep(uploadTimeMs)
      await uploadSome(later)
      return ids
    },

    /** @returns the collection's id */
    createCollection: async (
      name: string,
      settings: CollectionSettings,
      fileIds: readonly string[],
    ): Promise<string> => {
      const { id } = await call(WithId, "/api/v1/knowledge/create", { name, ...settings })
      for (let at = 0; at < fileIds.length; at += maxLinks) {
        const links = fileIds.slice(at, at + maxLinks).map((file_id) => ({ file_id }))
        await call(WithId, `/api/v1/knowledge/${id}/files/batch/add`, links)
      }
      return id
    },

    /** Resolves once every passage of the collection's files has a vector. */
    waitForIndex: async (collection: string): Promise<void> => {
      while (!(await isIndexed(collection))) await sleep(pollMs)
    },

    query: (collection: string, { text, previous }: Question): Promise<CollectionSearchResult> =>
      call(CollectionSearchResult, `/api/v1/knowledge/${collection}/query`, {
        query: text,
        previous,
        k: 100,
      }),

    /** Questions are rewritten by this model, however busy the machine is. */
    useRewritingModel: (model: string): Promise<object> =>
      call(z.object({}), "/api/v1/settings", {
        query_rewriting_model: model,
        query_rewriting_timeout_ms: rewritingTimeoutMs,
      }),

    /** Asks a question about a collection in a chat. */
    chat: (model: string, collection: string, question: string): Promise<object> =>
      call(z.object({}), "/api/chat/completions", {
        model,
        messages: [{ role: "user", content: question }],
        files: [{ type: "collection", id: collection }],
      }),

    stop: async (): Promise<void> => {
      await serving.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type AnswersGateway = Awaited<ReturnType<typeof startAnswersGateway>>
