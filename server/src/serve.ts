import { createServer, type Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "pino"
import { createApp } from "./app.ts"
import type { Config } from "./config/config.ts"
import { storageFailureOf } from "./db/connection-errors.ts"
import { lockDataDir } from "./db/data-dir-lock.ts"
import { freeBytes, releaseReserve } from "./db/disk-space.ts"
import { createGateway, type Gateway } from "./gateway.ts"
import type { GatewayOptions } from "./gateway-options.ts"
import { respondToParseErrors } from "./http/bad-requests.ts"
import { reserveDescriptors } from "./http/file-descriptors.ts"

/** Proxies in front keep connections for a minute; ours must outlive theirs. */
const keepAliveMs = 75_000
/** For the head of a request to arrive whole; for its body there are five minutes. */
const headersTimeoutMs = 20_000
const headCheckMs = 5000
/** After draining, for replies that were just ended to leave the machine. */
const finalFlushMs = 1000
/** What a start may write; where less is free it has the room that was kept for this. */
const bytesToStart = 2_000_000
/** How soon a connection that became idle while draining is closed. */
const idleSweepMs = 50

export interface Serving {
  url: string
  gateway: Gateway
  /** After DRAIN_DELAY takes no more requests, lets running ones finish within DRAIN_TIMEOUT, and closes. */
  stop(): Promise<void>
}

const listenError = (error: NodeJS.ErrnoException, { HOST, PORT }: Config): Error => {
  if (error.code === "EADDRINUSE") {
    return new Error(
      `Port ${PORT} on ${HOST} is in use by another program. Set PORT to a free port.`,
    )
  }
  if (error.code === "EACCES") {
    return new Error(
      `Permission denied for port ${PORT} on ${HOST}. Set PORT to a number above 1023.`,
    )
  }
  return error
}

/**
 * Connections that the system holds until they are accepted (at most `net.core.somaxconn`). One more
 * has its first packet dropped and comes a second later; Node's own 511 are soon there when many
 * clients come back at once.
 */
const backlog = 4096

const listen = (server: Server, config: Config): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(error, config)))
    server.listen({ port: config.PORT, host: config.HOST, backlog }, () => {
      const bound = server.address()
      const port = typeof bound === "object" && bound ? bound.port : config.PORT
      const host = config.HOST.includes(":") ? `[${config.HOST}]` : config.HOST
      resolve(`http://${host}:${port}`)
    })
  })

/** What keeps us from the disk at the start, and what to do about it. */
const explainStorageError = async (
  error: unknown,
  { DATA_DIR, DATABASE_URL }: Config,
): Promise<unknown> => {
  const cause = error instanceof Error ? error.cause : undefined
  const trouble = storageFailureOf(error) ?? storageFailureOf(cause)
  if (!trouble || !(error instanceof Error)) return error
  if (trouble === "broken") {
    return new Error(
      `Cannot use the data folder ${DATA_DIR} (${error.message}). Check that its file system is mounted read-write and that the folder belongs to the user that runs Portico.`,
    )
  }
  const free = Math.floor((await freeBytes(DATA_DIR)) / 1024)
  const where = DATABASE_URL
    ? `The disk of the database or of the data folder ${DATA_DIR} is full (the data folder has ${free} kB left)`
    : `The disk of the data folder ${DATA_DIR} is full (${free} kB left)`
  return new Error(`${where}. Free up space or enlarge the volume, then start again`, {
    cause: error,
  })
}

/** Until the first account exists, whoever reads the log may create it. */
const announceSetup = async (
  { config, setupCode }: Pick<Gateway, "config" | "setupCode">,
  { url, log }: { url: string; log: Logger },
): Promise<void> => {
  const code = await setupCode.findRequired()
  if (code === null) return
  const page = config.PUBLIC_URL ?? url
  log.warn(
    { url: page },
    `No account exists yet. Create the administrator at ${page} with setup code ${code}`,
  )
}

const open = async (config: Config, log: Logger, options: GatewayOptions) => {
  if ((await freeBytes(config.DATA_DIR)) < bytesToStart) releaseReserve(config.DATA_DIR)
  const releaseLock = config.DATABASE_URL ? () => {} : lockDataDir(config.DATA_DIR)
  try {
    return { releaseLock, gateway: await createGateway(config, log, options) }
  } catch (error) {
    releaseLock()
    throw error
  }
}

/** Opens everything and serves. @throws when the data folder, the database or the port is not to be had */
export const serve = async (
  config: Config,
  log: Logger,
  options: GatewayOptions = {},
): Promise<Serving> => {
  const { releaseLock, gateway } = await open(config, log, options).catch(async (error) => {
    throw await explainStorageError(error, config)
  })
  const app = createApp(gateway, log)
  const server = createServer({ connectionsCheckingInterval: headCheckMs }, app.listener)
  respondToParseErrors(server)
  server.keepAliveTimeout = keepAliveMs
  reserveDescriptors(server, log)
  server.headersTimeout = headersTimeoutMs
  app.attachTo(server)
  const url = await listen(server, config)
  await announceSetup(gateway, { url, log })

  return {
    url,
    gateway,
    stop: async () => {
      gateway.inFlight.announceDrain()
      // Balancers see it by /ready, and send no more before the port is closed.
      await sleep(config.DRAIN_DELAY * 1000)
      const drainTimeoutMs = config.DRAIN_TIMEOUT * 1000
      const closed = new Promise((resolve) => server.close(resolve))
      app.drain()
      // A connection whose reply began before would be kept for a next request.
      const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs)
      // Model requests are told when the time is up; all others, such as uploads, are cut.
      const cut = setTimeout(() => {
        server.closeAllConnections()
        app.closeAll()
      }, drainTimeoutMs + finalFlushMs)
      await gateway.inFlight.drain(drainTimeoutMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
      await gateway.close()
      releaseLock()
    },
  }
}
