import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { isOutage } from "./connection-errors.ts"
import * as foundation from "./migrations/0001-foundation.ts"
import * as scim from "./migrations/0002-scim.ts"
import * as chats from "./migrations/0003-chats.ts"
import * as files from "./migrations/0004-files.ts"
import * as functions from "./migrations/0005-functions.ts"
import * as signOn from "./migrations/0006-sign-on.ts"
import * as audit from "./migrations/0007-audit.ts"
import * as uploads from "./migrations/0008-uploads.ts"
import * as chatSources from "./migrations/0009-chat-sources.ts"
import * as fairJobs from "./migrations/0010-fair-jobs.ts"
import * as provisionedAccounts from "./migrations/0011-provisioned-accounts.ts"
import * as storedBytes from "./migrations/0012-stored-bytes.ts"
import * as storageByUser from "./migrations/0013-storage-by-user.ts"
import * as modelContents from "./migrations/0014-model-contents.ts"
import * as grantIndexes from "./migrations/0015-grant-indexes.ts"
import * as messageRatings from "./migrations/0016-message-ratings.ts"
import * as prompts from "./migrations/0017-prompts.ts"
import * as projects from "./migrations/0018-projects.ts"
import * as personalInstructions from "./migrations/0019-personal-instructions.ts"
import * as invitations from "./migrations/0020-invitations.ts"
import * as fileErrorCodes from "./migrations/0021-file-error-codes.ts"
import type { Tables } from "./tables.ts"

/** By name, in which order Kysely applies them. */
const migrations: Record<string, Migration> = {
  "0001-foundation": foundation,
  "0002-scim": scim,
  "0003-chats": chats,
  "0004-files": files,
  "0005-functions": functions,
  "0006-sign-on": signOn,
  "0007-audit": audit,
  "0008-uploads": uploads,
  "0009-chat-sources": chatSources,
  "0010-fair-jobs": fairJobs,
  "0011-provisioned-accounts": provisionedAccounts,
  "0012-stored-bytes": storedBytes,
  "0013-storage-by-user": storageByUser,
  "0014-model-contents": modelContents,
  "0015-grant-indexes": grantIndexes,
  "0016-message-ratings": messageRatings,
  "0017-prompts": prompts,
  "0018-projects": projects,
  "0019-personal-instructions": personalInstructions,
  "0020-invitations": invitations,
  "0021-file-error-codes": fileErrorCodes,
}

/** Migrations applied to the database that this version does not know. */
const findUnknownMigrations = async (writer: Kysely<Tables>): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`
    .execute(writer)
    .catch(() => ({ rows: [] }))
  return rows.map(({ name }) => name).filter((name) => !(name in migrations))
}

/** Reports which migrations an existing database is about to receive. */
const reportPending = async (
  migrator: Migrator,
  report: (message: string) => void,
): Promise<void> => {
  const known = await migrator.getMigrations()
  const pending = known.filter(({ executedAt }) => !executedAt).map(({ name }) => name)
  if (pending.length === 0 || pending.length === known.length) return
  report(
    `Migrating the database (${pending.join(", ")}). This can take minutes for a large database.`,
  )
}

/**
 * Applies pending migrations. Several processes may call it concurrently: the migrator takes a lock
 * in the database.
 * @param report receives the list of pending migrations of an existing database
 * @throws if a migration fails, or if the database is newer than this program
 */
export const migrate = async (
  writer: Kysely<Tables>,
  report: (message: string) => void,
): Promise<void> => {
  const migrator = new Migrator({
    db: writer,
    provider: { getMigrations: async () => migrations },
    // Migrations are developed in parallel, so one with a lower number may arrive later.
    allowUnorderedMigrations: true,
  })
  await reportPending(migrator, report)
  const { error, results } = await migrator.migrateToLatest()
  if (!error) return
  if (isOutage(error)) throw error
  const unknown = await findUnknownMigrations(writer)
  if (unknown.length > 0) {
    throw new Error(
      `The database was migrated by a newer version of Portico (unknown migrations: ${unknown.join(", ")}). ` +
        "Start that version or a newer one, or restore a backup from before the upgrade.",
    )
  }
  const failed = results?.find(({ status }) => status === "Error")?.migrationName
  throw new Error(failed ? `Migration ${failed} failed` : "The database could not be migrated", {
    cause: error,
  })
}
