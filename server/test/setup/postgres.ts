import { execFileSync, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdtempSync, readdirSync } from "node:fs"
import { chown } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import type { TestProject } from "vitest/node"
import { openDatabase } from "../../src/db/open.ts"
import { findFreePort } from "../harness/ports.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** A PostgreSQL server, as a user who may create databases; "" if there is none. */
    databaseUrl: string
    /** The name of a migrated, otherwise empty database on that server, to be copied; or "". */
    migratedDatabase: string
  }
}

const postgresRoot = "/usr/lib/postgresql"

/** The programs of the newest installed PostgreSQL; undefined if there is none. */
export const findPostgresBinDir = (): string | undefined =>
  (existsSync(postgresRoot) ? readdirSync(postgresRoot) : [])
    .sort((left, right) => Number(right) - Number(left))
    .map((version) => join(postgresRoot, version, "bin"))
    .find((folder) => existsSync(join(folder, "initdb")))

const idOf = (flag: string): number =>
  Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

/** The user to run as: PostgreSQL refuses to run as root. */
const unprivilegedUser = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}

// The shell stops the cluster and removes its folder when its standard input closes, at the latest
// when this process exits, even if it is killed.
const clusterScript = `
trap '' INT TERM HUP
cd "$1" || exit 1
"$2/initdb" --pgdata=data --username=postgres --auth=trust --encoding=UTF8 --no-locale \
  $4 --no-sync >initdb.log 2>&1 || { cat initdb.log >&2; cd /; rm -rf "$1"; exit 1; }
"$2/postgres" -D data -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
  -c max_connections=200 -c logging_collector=off $5 >postgres.log 2>&1 </dev/null &
server=$!
until "$2/pg_isready" -q -h 127.0.0.1 -p "$3"; do
  kill -0 $server 2>/dev/null || { cat postgres.log >&2; cd /; rm -rf "$1"; exit 1; }
  sleep 0.05
done
echo ready
read -r _
kill -INT $server
wait $server
cd / && rm -rf "$1"
`

// Linguistic rather than byte order, so that queries without a needed `collate "C"` fail.
const icuLocaleArgs = "--locale-provider=icu --icu-locale=en-US"

/** Faster, but the data does not survive a crash of the machine: for temporary databases. */
export const noSyncArgs = "-c fsync=off -c full_page_writes=off"

interface ClusterOptions {
  /** Arguments of `initdb`; by default, a locale with linguistic sorting. */
  initdb?: string
  /** Arguments of `postgres`, such as `-c fsync=off`. */
  server?: string
}

/** Starts a temporary PostgreSQL cluster; it stops at the latest when this process exits. */
export const startCluster = async (
  binDir: string,
  { initdb = icuLocaleArgs, server = "" }: ClusterOptions = {},
): Promise<{ url: string; stop: () => Promise<void> }> => {
  const clusterDir = mkdtempSync(join(tmpdir(), "portico-postgres-"))
  const user = unprivilegedUser()
  if (user.uid !== undefined && user.gid !== undefined) await chown(clusterDir, user.uid, user.gid)
  const port = await findFreePort()
  const args = ["-c", clusterScript, "sh", clusterDir, binDir, String(port), initdb, server]
  const shell = spawn("/bin/sh", args, {
    stdio: ["pipe", "pipe", "inherit"],
    detached: true,
    cwd: "/",
    ...user,
  })
  const exited = once(shell, "exit")
  const ready = await Promise.race([once(shell.stdout, "data"), exited.then(() => undefined)])
  if (!ready) throw new Error("PostgreSQL did not start")
  shell.stdout.destroy()
  shell.unref()
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      shell.ref()
      shell.stdin.end()
      await exited
    },
  }
}

const runOnServer = async (url: string, sql: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/**
 * Creates a database on the PostgreSQL server at the URL `server`.
 * @param template name of the database to copy; by default, an empty one
 */
export const createPostgresDatabase = async (
  server: string,
  template = "template1",
): Promise<{ name: string; url: string; drop: () => Promise<void> }> => {
  const name = `portico_${randomUUID().replaceAll("-", "")}`
  await runOnServer(server, `create database ${name} template ${template}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return {
    name,
    url: url.href,
    drop: () => runOnServer(server, `drop database if exists ${name} with (force)`),
  }
}

/** Migrating takes ten times as long as copying, so it is done once. */
const provideServer = async (project: TestProject, url: string): Promise<() => Promise<void>> => {
  const template = await createPostgresDatabase(url)
  const db = await openDatabase({ DATABASE_URL: template.url, DATA_DIR: "" })
  await db.close()
  project.provide("databaseUrl", url)
  project.provide("migratedDatabase", template.name)
  return template.drop
}

/** Provides a server and a migrated database: on TEST_DATABASE_URL, or a temporary cluster. */
export const setup = async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const configuredUrl = process.env.TEST_DATABASE_URL
  if (configuredUrl) return provideServer(project, configuredUrl)
  const binDir = findPostgresBinDir()
  if (!binDir) {
    if (process.env.CI)
      throw new Error("PostgreSQL was not found. Install it or set TEST_DATABASE_URL.")
    console.warn("PostgreSQL was not found, so tests run only on SQLite. Set TEST_DATABASE_URL.")
    project.provide("databaseUrl", "")
    project.provide("migratedDatabase", "")
    return undefined
  }
  const cluster = await startCluster(binDir, { server: noSyncArgs })
  await provideServer(project, cluster.url)
  return cluster.stop
}
