import type { Tx } from "../db/database.ts"
import {
  maxDimensions,
  type NearRow,
  type PgvectorStore,
  type VectorBatch,
} from "./pgvector-store.ts"
import type { DenseHit } from "./search-protocol.ts"

/** From this version on an index goes on until a filter has let enough through. */
const minVersion = [0, 8] as const
/** In scopes up to this size every vector is looked at. */
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
 * Vectors in PostgreSQL's own index, where it has pgvector. Whatever it cannot answer (it is not
 * built yet, a model has too many dimensions), the scan in the gateway does.
 */
export const createPgvector = ({ store, say, report, exactUpTo = exactByDefault }: Deps) => {
  let usable = false
  const whole = new Set<string>()
  let catching: Promise<void> | undefined
  const tooWide = new Set<string>()

  /** @returns the version, or in words why there is none */
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
    if (built) say(`pgvector has the passages of ${id}: searches by meaning ask it from now on`)
  }

  const catchUpOn = async (id: string, dimensions: number | null): Promise<void> => {
    if (dimensions === null) return
    if (dimensions <= maxDimensions) {
      await ((await isWhole(id)) ? store.fill(id) : build(id, dimensions))
    } else if (!tooWide.has(id)) {
      tooWide.add(id)
      say(`pgvector indexes up to ${maxDimensions} dimensions, the model has ${dimensions}`)
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
    // It gave up before the filter had let enough through.
    return rows.length < asked.limit ? null : toHits(rows, asked.fileIds)
  }

  return {
    /** Finds out whether the database has the extension; makes it, where that is allowed. */
    open: async (): Promise<void> => {
      const { version, why } = await install()
      usable = version !== null && isEnough(version)
      const wanted = minVersion.join(".")
      if (usable) say(`the database has pgvector ${version}: it indexes vectors`)
      else if (version !== null) {
        say(`the gateway scans vectors: pgvector is ${version}, and ${wanted} is needed`)
      } else say(`the gateway scans vectors: the database has no pgvector (${why})`)
    },

    usable: (): boolean => usable,

    add: (tx: Tx, batch: VectorBatch): Promise<void> => store.add(tx, batch),
    copy: (tx: Tx, from: string, to: string, spaceId: string): Promise<void> =>
      store.copy(tx, from, to, spaceId),
    drop: async (tx: Tx, spaceId: string): Promise<void> => {
      whole.delete(spaceId)
      await store.drop(tx, spaceId)
    },

    /** Has the index catch up with all spaces; the first time that may take minutes. */
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

    /** @returns null where it cannot tell, and the gateway has to scan */
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
