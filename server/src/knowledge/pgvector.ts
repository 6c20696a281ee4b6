import type { Tx } from "../db/database.ts"
import {
  maxDimensions,
  type NearRow,
  type PgvectorStore,
  type VectorBatch,
} from "./pgvector-store.ts"
import type { DenseHit } from "./search-protocol.ts"

/** The first version whose index scan continues until enough rows pass a filter. */
const minVersion = [0, 8] as const
/** Scopes up to this number of passages are searched exactly. */
const exactByDefault = 20_000

interface Deps {
  store: PgvectorStore
  say: (message: string) => void
  report: (error: Error) => void
  exactUpTo?: number
}

interface Asked {
  space: string
  values: Float32Array
  fileIds: readonly string[]
  limit: number
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error))

const isEnough = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])
}

/**
 * Searches vectors with an index in PostgreSQL if pgvector is available. Anything that it cannot
 * answer (index not built yet, too many dimensions) is scanned by the gateway instead.
 */
export const createPgvector = ({ store, say, report, exactUpTo = exactByDefault }: Deps) => {
  let usable = false
  const whole = new Set<string>()
  let catching: Promise<void> | undefined
  const tooWide = new Set<string>()

  /** @returns the version, or the reason why there is none */
  const install = async (): Promise<{ version: string | null; why: string }> => {
    const known = await store.version()
    if (known !== null) return { version: known, why: "" }
    const why = await store.install().then(
      () => "",
      (error: unknown) => toError(error).message,
    )
    return { version: await store.version(), why }
  }

  const isWhole = async (space: string): Promise<boolean> => {
    if (!usable) return false
    if (!whole.has(space) && (await store.isWhole(space))) whole.add(space)
    return whole.has(space)
  }

  const build = async (id: string, dimensions: number): Promise<void> => {
    await store.make(id, dimensions)
    const built = await store.build(id, () => store.fill(id))
    if (built) say(`pgvector index of ${id} is complete; semantic searches now use it`)
  }

  const catchUpOn = async (id: string, dimensions: number | null): Promise<void> => {
    if (dimensions === null) return
    if (dimensions <= maxDimensions) {
      await ((await isWhole(id)) ? store.fill(id) : build(id, dimensions))
    } else if (!tooWide.has(id)) {
      tooWide.add(id)
      say(
        `pgvector cannot index ${dimensions} dimensions (maximum ${maxDimensions}); the gateway scans vectors instead`,
      )
    }
  }

  const toHits = (rows: readonly NearRow[], fileIds: readonly string[]): DenseHit[] => {
    const places = new Map(fileIds.map((id, at) => [id, at]))
    return rows
      .map(({ file_id, position, score }) => ({
        file: places.get(file_id) ?? -1,
        passage: Number(position),
        score: Number(score),
      }))
      .sort((a, z) => z.score - a.score || a.file - z.file || a.passage - z.passage)
  }

  const lookAtAll = async ({ space, ...asked }: Asked): Promise<DenseHit[]> =>
    toHits(await store.nearestOfAll(space, asked), asked.fileIds)

  const askIndex = async ({ space, ...asked }: Asked): Promise<DenseHit[] | null> => {
    const rows = await store.nearest(space, asked)
    // The index scan stopped before enough rows passed the filter.
    return rows.length < asked.limit ? null : toHits(rows, asked.fileIds)
  }

  return {
    /** Checks whether the extension is available, and creates it if permitted. */
    open: async (): Promise<void> => {
      const { version, why } = await install()
      usable = version !== null && isEnough(version)
      const wanted = minVersion.join(".")
      if (usable) say(`the database has pgvector ${version}; vectors are indexed by the database`)
      else if (version !== null) {
        say(`the gateway scans vectors: pgvector ${version} is older than ${wanted}`)
      } else say(`the gateway scans vectors: pgvector is not available (${why})`)
    },

    usable: (): boolean => usable,

    add: (tx: Tx, batch: VectorBatch): Promise<void> => store.add(tx, batch),
    copy: (tx: Tx, from: string, to: string, spaceId: string): Promise<void> =>
      store.copy(tx, from, to, spaceId),
    drop: async (tx: Tx, spaceId: string): Promise<void> => {
      whole.delete(spaceId)
      await store.drop(tx, spaceId)
    },

    /** Updates the database's indexes; the first time this may take minutes. */
    catchUp: (spaces: readonly { id: string; dimensions: number | null }[]): Promise<void> => {
      if (!usable) return Promise.resolve()
      const all = async (): Promise<void> => {
        for (const { id, dimensions } of spaces) await catchUpOn(id, dimensions)
      }
      catching ??= all()
        .catch((error: unknown) => report(toError(error)))
        .finally(() => {
          catching = undefined
        })
      return catching
    },

    /** @returns null if the gateway has to scan instead */
    search: async (asked: Asked): Promise<DenseHit[] | null> => {
      if (!(await isWhole(asked.space))) return null
      try {
        const few = (await store.passagesOf(asked.fileIds)) <= exactUpTo
        return (few ? null : await askIndex(asked)) ?? (await lookAtAll(asked))
      } catch (error) {
        whole.delete(asked.space)
        report(toError(error))
        return null
      }
    },
  }
}

export type Pgvector = ReturnType<typeof createPgvector>
