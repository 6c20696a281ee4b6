import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findFreePort, listenOnLoopback } from "./ports.ts"

const postgresRoot = "/usr/lib/postgresql"

/** The folder that contains `initdb` and `postgres`; undefined if PostgreSQL is not installed. */
export const postgresBinDir = (existsSync(postgresRoot) ? readdirSync(postgresRoot) : [])
  .map((version) => join(postgresRoot, version, "bin"))
  .find((folder) => existsSync(join(folder, "initdb")))

const idOf = (flag: string): number =>
  Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }))

/** The user to run as: PostgreSQL refuses to run as root. */
const unprivilegedUser = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {}

// The shell stops the server when its standard input closes, at the latest when this process exits.
const serverScript = `
trap '' INT TERM HUP
"$1/postgres" -D "$2/data" -p "$3" -c listen_addresses=127.0.0.1 -c unix_socket_directories= \
  -c logging_collector=off >"$2/log" 2>&1 </dev/null &
server=$!
until "$1/pg_isready" -q -h 127.0.0.1 -p "$3"; do
  kill -0 $server 2>/dev/null || { cat "$2/log" >&2; exit 1; }
  sleep 0.05
done
echo ready
read -r _
kill -INT $server
wait $server
`

export interface DatabaseServer {
  url: string
  /** Resolves when the server accepts connections. */
  start(): Promise<void>
  /** Stops the server and closes every connection, as a restart does. */
  stop(): Promise<void>
  remove(): Promise<void>
}

/** Creates a separate PostgreSQL server that a test can stop and restart. */
export const createDatabaseServer = async (binDir: string): Promise<DatabaseServer> => {
  const folder = mkdtempSync(join(tmpdir(), "portico-database-"))
  const user = unprivilegedUser()
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid)
  const port = await findFreePort()
  const flags = ["--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-locale"]
  execFileSync(join(binDir, "initdb"), ["--pgdata", join(folder, "data"), "--no-sync", ...flags], {
    cwd: folder,
    stdio: "ignore",
    ...user,
  })
  let stop = async (): Promise<void> => {}

  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: async () => {
      const args = ["-c", serverScript, "sh", binDir, folder, String(port)]
      const shell = spawn("/bin/sh", args, {
        stdio: ["pipe", "pipe", "inherit"],
        cwd: "/",
        ...user,
      })
      const exited = once(shell, "exit")
      await Promise.race([once(shell.stdout, "data"), exited])
      stop = async () => {
        shell.stdin.end()
        await exited
      }
    },
    stop: () => stop(),
    remove: async () => {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export interface DatabaseProxy {
  /** Connects to the same database through this proxy. */
  url: string
  /** Silently drops all data; connections stay open. */
  freeze(): void
  /** Like `freeze`, but new connections work: as if a firewall had forgotten the open ones. */
  freezeOpenConnections(): void
  /** Forwards data again. Existing connections are unusable, because their data was dropped. */
  unfreeze(): void
  close(): void
}

/** A TCP proxy in front of a database that can go silent, as if a cable were pulled. */
export const createDatabaseProxy = async (databaseUrl: string): Promise<DatabaseProxy> => {
  const url = new URL(databaseUrl)
  const port = Number(url.port || 5432)
  const host = url.hostname
  const sockets = new Set<Socket>()
  let isFrozen = false
  let generation = 0
  const server = createServer((client) => {
    const upstream = connect({ port, host })
    const openedIn = generation
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on("error", () => {})
      from.on("close", () => to.destroy())
      from.on("data", (bytes) => {
        if (!isFrozen && openedIn === generation) to.write(bytes)
      })
    }
  })
  url.host = `127.0.0.1:${await listenOnLoopback(server)}`
  return {
    url: url.href,
    freeze: () => {
      isFrozen = true
    },
    freezeOpenConnections: () => {
      generation++
    },
    unfreeze: () => {
      isFrozen = false
    },
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
