import { readFile } from "node:fs/promises"
import { sql } from "kysely"
import packageJson from "../../package.json" with { type: "json" }
import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import { lastBackupPath } from "../db/backup.ts"
import type { Database } from "../db/database.ts"
import { freeBytes, volumeBytes } from "../db/disk-space.ts"
import { sizeOfFile } from "../db/size-of-file.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import { shortenMessage } from "../errors.ts"
import type { Rereading } from "../files/rereading.ts"
import type { Router } from "../http/router.ts"
import { toReference } from "../i18n/message.ts"
import type { LimitNotices } from "../limits/warnings/limit-notices.ts"
import { backupCommand } from "./backup-command.ts"
import { type Overview, overviewRoutes, ReloadedPart } from "./overview-routes.ts"

const expiryNoticeSeconds = 14 * 86_400
const maxExpiringKeys = 10
const lowDiskShare = 0.1

interface Deps {
  router: Router
  background: Pick<BackgroundTasks, "lastError">
  config: Pick<Config, "DATA_DIR">
  db: Database
  storage: Pick<StorageMonitor, "failureMessage">
  rereading: Pick<Rereading, "progress">
  limitNotices: Pick<LimitNotices, "count">
  now: () => number
}

const describeDisk = async (folder: string): Promise<Overview["disk"]> => {
  const [free, total] = [await freeBytes(folder), volumeBytes(folder)]
  if (!Number.isFinite(free) || !Number.isFinite(total)) return null
  return { free_bytes: free, total_bytes: total, is_low: free < total * lowDiskShare }
}

const readLastBackup = async (folder: string): Promise<number | null> => {
  const text = await readFile(lastBackupPath(folder), "utf8").catch(() => "")
  const ms = Date.parse(text)
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}

const describeBackup = async (
  { dialect }: Database,
  folder: string,
  date: Date,
): Promise<Pick<Overview, "last_backup_at" | "backup_command">> =>
  dialect === "sqlite"
    ? { last_backup_at: await readLastBackup(folder), backup_command: backupCommand(folder, date) }
    : { last_backup_at: null, backup_command: null }

const databaseBytes = async (db: Database): Promise<number> => {
  if (db.file !== null) return (await sizeOfFile(db.file)) + (await sizeOfFile(`${db.file}-wal`))
  const { rows } = await sql<{ bytes: number }>`
    select cast(pg_database_size(current_database()) as bigint) as bytes
  `.execute(db.read)
  return Number(rows[0]?.bytes ?? 0)
}

/** Counts what an administrator may have to attend to. */
const countObjects = async (db: Database) => {
  const { rows } = await sql<
    Record<"users" | "pending" | "failed" | "waiting" | "retrying", number>
  >`
    select
      (select count(*) from users where hidden = 0) as users,
      (select count(*) from users where role = 'pending' and active = 1) as pending,
      (select count(*) from files where status = 'failed') as failed,
      (select count(*) from jobs where kind <> 'reread') as waiting,
      (select count(*) from jobs where error is not null) as retrying
  `.execute(db.backgroundReader)
  const [counts] = rows
  return {
    users: { total: Number(counts?.users), pending: Number(counts?.pending) },
    files: { failed: Number(counts?.failed) },
    jobs: { waiting: Number(counts?.waiting), retrying: Number(counts?.retrying) },
  }
}

const findExpiringKeys = (db: Database, now: number) =>
  db.backgroundReader
    .selectFrom("api_keys")
    .leftJoin("users", "users.id", "api_keys.user_id")
    .leftJoin("groups", "groups.id", "api_keys.group_id")
    .select(["api_keys.name", "api_keys.user_id", "api_keys.group_id"])
    .select(sql<string>`coalesce(users.name, ${sql.ref("groups.name")})`.as("owner"))
    .select(sql<number>`api_keys.expires_at`.as("expires_at"))
    .where("api_keys.expires_at", ">", now)
    .where("api_keys.expires_at", "<", now + expiryNoticeSeconds)
    .where(({ eb, or }) =>
      or([eb("users.active", "=", 1), eb("api_keys.group_id", "is not", null)]),
    )
    .orderBy("api_keys.expires_at")
    .limit(maxExpiringKeys)
    .execute()

/** The bus names the tasks that apply its messages. */
const findFailedReloads = ({ lastError }: Pick<BackgroundTasks, "lastError">) =>
  ReloadedPart.options.flatMap((part): Overview["failed_reloads"] => {
    const error = lastError(`reload ${part}`)
    return error ? [{ part, error: shortenMessage(error.message) }] : []
  })

/** The state of the gateway, for the first page of the administration. */
export const createOverviewRouter = ({
  router,
  background,
  config,
  db,
  storage,
  rereading,
  limitNotices,
  now,
}: Deps): Router => {
  const startedAt = now() - Math.floor(process.uptime())
  router.on(overviewRoutes.get, async (): Promise<Overview> => {
    const storageFailure = storage.failureMessage()
    const { files, ...counts } = await countObjects(db)
    return {
      version: packageJson.version,
      node_version: process.versions.node,
      started_at: startedAt,
      database: { kind: db.dialect, bytes: await databaseBytes(db) },
      disk: await describeDisk(config.DATA_DIR),
      storage_failure: storageFailure?.text ?? null,
      storage_failure_reference: toReference(storageFailure),
      failed_reloads: findFailedReloads(background),
      ...(await describeBackup(db, config.DATA_DIR, new Date(now() * 1000))),
      ...counts,
      limits: limitNotices.count(),
      files: { ...files, rereading: await rereading.progress() },
      expiring_keys: await findExpiringKeys(db, now()),
    }
  })
  return router
}
