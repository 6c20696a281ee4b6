import { compareHits, type ScoredHit } from "@portico/search"
import type { BackgroundTasks } from "../../background/background-tasks.ts"
import type { Tx } from "../../db/database.ts"
import { toError } from "../../errors.ts"
import {
  maxDimensions,
  type NearestQuery,
  type NearestRow,
  type PgvectorStore,
} from "./pgvector-store.ts"

/** The first version whose index scan continues until enough rows pass a filter. */
const minVersion = [0, 8] as const
/** Scopes up to this number of passages are searched exactly. */
const defaultMaxExactPassages = 20_000

interface Deps {
  background: BackgroundTasks
  store: PgvectorStore
  log: { info(message: string): void; error(fields: object, message: string): void }
  maxExactPassages?: number
}

interface VectorQuery extends NearestQuery {
  indexId: string
}

const isSupported = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])
}

/**
 * Searches vectors with an index in PostgreSQL if pgvector is available. Anything that it cannot
 * answer (index not built yet, too many dimensions) is scanned by the gateway instead.
 */
export const createPgvector = ({
  background,
  store,
  log,
  maxExactPassages = defaultMaxExactPassages,
}: Deps) => {
  let isUsable = false
  const completeIndexes = new Set<string>()
  let catchUpRun: Promise<boolean> | undefined
  const tooManyDimensions = new Set<string>()

  /** @returns the version, or the reason why there is none */
  const install = async (): Promise<{ version: string | null; reason: string }> => {
    const installed = await store.version()
    if (installed !== null) return { version: installed, reason: "" }
    const reason = await store.install().then(
      () => "",
      (error: unknown) => toError(error).message,
    )
    return { version: await store.version(), reason }
  }

  const isWhole = async (indexId: string): Promise<boolean> => {
    if (!isUsable) return false
    if (!completeIndexes.has(indexId) && (await store.isComplete(indexId)))
      completeIndexes.add(indexId)
    return completeIndexes.has(indexId)
  }

  const build = async (id: string, dimensions: number): Promise<void> => {
    await store.createTable(id, dimensions)
    const isBuilt = await store.buildIndex(id, () => store.fill(id))
    if (isBuilt) log.info(`pgvector index of ${id} is complete; semantic searches now use it`)
  }

  const catchUpOn = async (id: string, dimensions: number | null): Promise<void> => {
    if (dimensions === null) return
    if (dimensions <= maxDimensions) {
      await ((await isWhole(id)) ? store.fill(id) : build(id, dimensions))
    } else if (!tooManyDimensions.has(id)) {
      tooManyDimensions.add(id)
      log.info(
        `pgvector cannot index ${dimensions} dimensions (maximum ${maxDimensions}); the gateway scans vectors instead`,
      )
    }
  }

  const toHits = (rows: readonly NearestRow[], fileIds: readonly string[]): ScoredHit[] => {
    const indexById = new Map(fileIds.map((id, at) => [id, at]))
    return rows
      .map(({ file_id, position, score }) => ({
        file: indexById.get(file_id) ?? -1,
        passage: Number(position),
        score: Number(score),
      }))
      .sort(compareHits)
  }

  const searchExact = async ({ indexId, ...query }: VectorQuery): Promise<ScoredHit[]> =>
    toHits(await store.searchExact(indexId, query), query.fileIds)

  const searchByIndex = async ({ indexId, ...query }: VectorQuery): Promise<ScoredHit[] | null> => {
    const rows = await store.searchByIndex(indexId, query)
    // The index scan stopped before enough rows passed the filter.
    return rows.length < query.limit ? null : toHits(rows, query.fileIds)
  }

  return {
    /** Checks whether the extension is available, and creates it if permitted. */
    open: async (): Promise<void> => {
      const { version, reason } = await install()
      isUsable = version !== null && isSupported(version)
      const required = minVersion.join(".")
      if (isUsable)
        log.info(`the database has pgvector ${version}; vectors are indexed by the database`)
      else if (version !== null) {
        log.info(`the gateway scans vectors: pgvector ${version} is older than ${required}`)
      } else log.info(`the gateway scans vectors: pgvector is not available (${reason})`)
    },

    isUsable: (): boolean => isUsable,

    add: store.add,
    copy: store.copy,
    drop: async (tx: Tx, indexId: string): Promise<void> => {
      completeIndexes.delete(indexId)
      await store.drop(tx, indexId)
    },

    /** Updates the database's indexes; the first time this may take minutes. */
    catchUp: async (
      indexes: readonly { id: string; dimensions: number | null }[],
    ): Promise<void> => {
      if (!isUsable) return
      const all = async (): Promise<void> => {
        for (const { id, dimensions } of indexes) await catchUpOn(id, dimensions)
      }
      catchUpRun ??= background.runInBackground("update pgvector indexes", all).finally(() => {
        catchUpRun = undefined
      })
      await catchUpRun
    },

    /** @returns null if the gateway has to scan instead */
    search: async (query: VectorQuery): Promise<ScoredHit[] | null> => {
      if (!(await isWhole(query.indexId))) return null
      try {
        const isSmallScope = (await store.countPassages(query.fileIds)) <= maxExactPassages
        return (isSmallScope ? null : await searchByIndex(query)) ?? (await searchExact(query))
      } catch (error) {
        completeIndexes.delete(query.indexId)
        log.error(
          { err: error },
          "a search with pgvector failed; the gateway scans vectors instead",
        )
        return null
      }
    },
  }
}

export type Pgvector = ReturnType<typeof createPgvector>
