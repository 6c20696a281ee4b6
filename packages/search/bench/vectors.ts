import { DatabaseSync } from "node:sqlite"
import { getLoadablePath } from "sqlite-vec"
import { openQuantizedVectors, packQuantizedVectors } from "../src/quantization.ts"
import { scanVectors } from "../src/scan-vectors.ts"
import { createVectorCache } from "../src/vector-cache.ts"
import { dotProduct, toUnitVector } from "../src/vector-math.ts"
import { atMost, megabytes, quantile, quantiles, type Row, timed } from "./figures.ts"
import { createRandom } from "./random.ts"

const dimensions = 384
const passagesPerFile = 100
const queryCount = 100
/** Up to this many passages, exact vectors are kept to measure recall and sqlite-vec. */
const maxExact = 100_000
const distinctFiles = maxExact / passagesPerFile
const rescored = 50
const rounds = 60
const share = 0.03

const createVectors = (seed: number) => {
  const random = createRandom(seed)
  return (): Float32Array =>
    toUnitVector(
      Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5),
    )
}

interface Library {
  cache: ReturnType<typeof createVectorCache>
  files: string[]
  exact: Float32Array[]
  built: number
}

const build = (passages: number): Library => {
  const next = createVectors(1)
  const cache = createVectorCache(512e6)
  const exact: Float32Array[] = []
  const packs: Uint8Array[] = []
  let built = 0
  const files = Array.from({ length: Math.ceil(passages / passagesPerFile) }, (_, index) => {
    // Scan time does not depend on the values, so large indexes reuse vectors.
    const known = packs[index % distinctFiles]
    const vectors = known ? [] : Array.from({ length: passagesPerFile }, next)
    if (passages <= maxExact) exact.push(...vectors)
    const start = performance.now()
    const pack = known ?? packQuantizedVectors(vectors)
    cache.put(String(index), openQuantizedVectors(pack, passagesPerFile))
    built += performance.now() - start
    if (!known) packs.push(pack)
    return String(index)
  })
  return { cache, files, exact, built }
}

const scan = ({ cache }: Library, files: readonly string[], query: Float32Array) =>
  scanVectors(
    files.map((file) => cache.get(file, query)),
    rescored,
  )

type Scored = { at: number; score: number }

const best = (found: Scored[], count: number): number[] =>
  found
    .sort((a, z) => z.score - a.score)
    .slice(0, count)
    .map(({ at }) => at)

const recallOf = (library: Library, queries: readonly Float32Array[]): number => {
  const { exact, files } = library
  let found = 0
  for (const query of queries) {
    const scoreOf = (at: number): Scored => ({
      at,
      score: dotProduct(query, exact[at] ?? new Float32Array(dimensions)),
    })
    const right = new Set(
      best(
        exact.map((_, at) => scoreOf(at)),
        10,
      ),
    )
    const hits = scan(library, files, query)
    const own = hits.map(({ file, passage }) => scoreOf(file * passagesPerFile + passage))
    found += best(own, 10).filter((at) => right.has(at)).length
  }
  return found / (queries.length * 10)
}

/** Measures sqlite-vec on the same vectors, for comparison. */
const measurePeer = ({ exact }: Library, queries: readonly Float32Array[]): Row => {
  const database = new DatabaseSync(":memory:", { allowExtension: true })
  database.loadExtension(getLoadablePath())
  database.exec(`create virtual table v using vec0(e float[${dimensions}])`)
  const insert = database.prepare("insert into v (rowid, e) values (?, ?)")
  database.exec("begin")
  for (const [at, vector] of exact.entries()) {
    insert.run(BigInt(at + 1), new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))
  }
  database.exec("commit")
  const match = database.prepare(
    "select rowid, distance from v where e match ? order by distance limit 10",
  )
  const times = timed(15, (round) => {
    const query = queries[round] ?? new Float32Array(dimensions)
    match.all(new Uint8Array(query.buffer))
  })
  database.close()
  return {
    what: `sqlite-vec, ${exact.length} × ${dimensions}`,
    figures: quantiles(times),
    marks: [],
  }
}

/** Maximum median query time in ms, by number of passages. */
const limits: Record<number, number> = { 100000: 5, 1000000: 40 }

/** Measures dense search as the search thread runs it. */
export const measureVectors = (passages: number): Row[] => {
  const library = build(passages)
  const { files, exact } = library
  const next = createVectors(2)
  const queries = Array.from({ length: queryCount }, next)
  const query = (round: number): Float32Array => queries[round % queryCount] ?? next()
  const all = timed(rounds, (round) => void scan(library, files, query(round)))
  const few = files.slice(0, Math.ceil(files.length * share))
  const some = timed(rounds, (round) => void scan(library, few, query(round)))
  const rss = process.memoryUsage.rss()
  const limit = limits[passages]
  const what = `vectors, ${passages} × ${dimensions}`
  const marks = limit === undefined ? [] : [atMost("p50", quantile(all, 0.5), limit, "ms")]
  if (passages > maxExact) marks.push(atMost("RSS", rss / 1e6, 1000, "MB"))
  const figures: Record<string, string> = {
    ...quantiles(all),
    size: megabytes(files.length * passagesPerFile * (dimensions + 4)),
    RSS: megabytes(rss),
    build: `${((library.built * 1000) / passages).toFixed(1)} µs per passage`,
  }
  // Proportional to the share of files, with a factor of two and a fixed cost per search.
  const proportion = quantile(all, 0.5) * share * 2 + 0.25
  const rows = [
    { what: `${what}, all`, figures, marks },
    {
      what: `${what}, 3 % of the files`,
      figures: quantiles(some),
      marks: [atMost("p50", quantile(some, 0.5), proportion, "ms")],
    },
  ]
  if (exact.length === 0) return rows
  const recall = recallOf(library, queries.slice(0, 50))
  figures["recall@10"] = recall.toFixed(4)
  marks.push({ text: `recall@10 ${recall.toFixed(4)} (at least 0.999)`, kept: recall >= 0.999 })
  return [...rows, measurePeer(library, queries)]
}
