import { readdirSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { createAuditSigner } from "../src/audit/hash-chain.ts"
import { verifyAuditLog } from "../src/audit/verify.ts"
import type { Reader } from "../src/db/database.ts"
import { readSnapshot } from "../src/db/read-snapshot.ts"
import { createSecrets } from "../src/secrets/secrets.ts"

const settledMs = 60_000
const lookMs = 250

export interface Home {
  dataDir: string
  url: string | undefined
  secretKey: string
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name)
  } catch {
    return []
  }
}

const onlyIn = (left: Iterable<string>, right: ReadonlySet<string>): string[] =>
  [...left].filter((item) => !right.has(item))

const some = (what: string, found: readonly unknown[]): string[] =>
  found.length === 0 ? [] : [`${found.length} ${what}, such as ${JSON.stringify(found[0])}`]

/** Every file row has its object and vice versa; no temporary or partial files remain. */
const filesProblems = async (reader: Reader, { dataDir, url }: Home): Promise<string[]> => {
  // With PostgreSQL, another process might be writing there, so cleanup waits for a day.
  const temporary = url === undefined ? namesIn(join(dataDir, "uploads")) : []
  const files = await reader.selectFrom("files").select(["id", "hash", "status"]).execute()
  const uploads = await reader.selectFrom("uploads").select("id").execute()
  const kept = new Set(namesIn(join(dataDir, "objects")))
  const hashes = new Set(files.map(({ hash }) => hash))
  const uploadIds = new Set(uploads.map(({ id }) => id))
  const partials = new Set(namesIn(join(dataDir, "partial")))
  return [
    ...some("files without an object", onlyIn(hashes, kept)),
    ...some("objects without a file", onlyIn(kept, hashes)),
    ...some("temporary files", temporary),
    ...some("partial files without an upload", onlyIn(partials, uploadIds)),
    ...some(
      "files never processed",
      files.filter(({ status }) => status === "pending" || status === "processing"),
    ),
    ...some(
      "files whose processing failed",
      files.filter(({ status }) => status === "failed"),
    ),
  ]
}

const strandedProblems = async (reader: Reader): Promise<string[]> => {
  const jobs = await reader.selectFrom("jobs").select(["kind", "target", "error"]).execute()
  const running = reader.selectFrom("chat_messages").select("id").where("state", "=", "running")
  return [
    ...some("unfinished jobs", jobs),
    ...some("answers still marked as running", await running.execute()),
  ]
}

/** Every account and group has an audit event for its creation, and the hash chain is intact. */
const trailProblems = async (reader: Reader, { secretKey }: Home): Promise<string[]> => {
  const signers = [createAuditSigner(createSecrets(secretKey).auditKey)]
  const { problems } = await verifyAuditLog(reader, { signers, expected: undefined })
  const events = await reader
    .selectFrom("audit_events")
    .select(["action", "target_id"])
    .where("action", "in", [
      "user.created",
      "group.created",
      "scim.user.created",
      "scim.group.created",
    ])
    .execute()
  const reported = new Set(events.map(({ target_id }) => target_id ?? ""))
  const groups = await reader.selectFrom("groups").select("id").execute()
  const users = await reader.selectFrom("users").select("id").execute()
  const made = [...groups, ...users].map(({ id }) => id)
  return [
    ...some("breaks in the audit hash chain", problems),
    ...some("accounts or groups without an audit event", onlyIn(made, reported)),
  ]
}

const look = (home: Home): Promise<string[]> =>
  readSnapshot({ DATA_DIR: home.dataDir, DATABASE_URL: home.url }, async (reader) => [
    ...(await filesProblems(reader, home)),
    ...(await strandedProblems(reader)),
    ...(await trailProblems(reader, home)),
  ])

/** Finds inconsistent data, after giving the gateway time to recover. */
export const findHalfDone = async (home: Home): Promise<string[]> => {
  const until = performance.now() + settledMs
  for (;;) {
    const problems = await look(home)
    if (problems.length === 0 || performance.now() > until) return problems
    await sleep(lookMs)
  }
}
