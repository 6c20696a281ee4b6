import { randomUUID } from "node:crypto"
import pg from "pg"
import { isOutage } from "../src/db/outages.ts"
import { createDatabaseServer } from "../test/harness/database-server.ts"
import type { Server } from "./kill-worker.ts"

/** Retries until the server accepts connections, as it recovers from a crash. */
const connect = async (url: string): Promise<pg.Client> => {
  for (let tries = 0; ; tries++) {
    const client = new pg.Client({ connectionString: url })
    client.on("error", () => {})
    try {
      await client.connect()
      return client
    } catch (error) {
      if (tries > 200) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Retries if the server restarts meanwhile, as it does after a backend was killed. */
const query = async (url: string, sql: string) => {
  for (let tries = 0; ; tries++) {
    const client = await connect(url)
    try {
      return (await client.query(sql)).rows
    } catch (error) {
      if (tries > 10 || !isOutage(error)) throw error
    } finally {
      await client.end().catch(() => {})
    }
  }
}

/** Ignores a process that has already exited. */
const killProcess = (pid: number): void => {
  try {
    process.kill(pid, "SIGKILL")
  } catch {}
}

/** Starts a separate PostgreSQL server whose processes may be killed. */
export const startPostgres = async (
  programs: string,
): Promise<Server & { close: () => Promise<void> }> => {
  const server = await createDatabaseServer(programs)
  await server.start()
  return {
    place: async () => {
      const name = `kill_${randomUUID().replaceAll("-", "")}`
      await query(server.url, `create database ${name}`).catch((error) => {
        // Created by an attempt whose reply was lost.
        if (!String(error).includes("already exists")) throw error
      })
      const url = new URL(server.url)
      url.pathname = `/${name}`
      const remove = async (): Promise<void> => {
        await query(server.url, `drop database if exists ${name} with (force)`)
      }
      return { url: url.href, remove }
    },
    killBackend: async () => {
      const [backend] = await query(
        server.url,
        "select pid from pg_stat_activity where application_name = 'portico' order by random() limit 1",
      )
      if (backend) killProcess(backend.pid)
      await query(server.url, "select 1")
    },
    restart: async () => {
      await server.stop()
      await server.start()
    },
    close: server.remove,
  }
}
