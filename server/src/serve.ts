import { createServer, type Server } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import type { Logger } from "pino"
import { createApp } from "./app.ts"
import type { Config } from "./config/config.ts"
import { lockDataDir } from "./db/data-dir-lock.ts"
import { freeBytes, releaseReserve } from "./db/disk-space.ts"
import { storageFailureOf } from "./db/outages.ts"
import { createGateway, type Gateway } from "./gateway.ts"
import type { GatewayOverrides } from "./gateway-overrides.ts"
import { respondToParseErrors } from "./http/bad-requests.ts"
import { reserveDescriptors } from "./http/file-descriptors.ts"
import type { MountedRoute } from "./http/server.ts"
import { createStalledRequestCloser } from "./http/stalled-requests.ts"

/** Reverse proxies keep idle connections for up to 60 s; the gateway must keep them longer. */
const keepAliveMs = 75_000
/** For a complete request head; Node's default of five minutes applies to the whole request. */
const headersTimeoutMs = 20_000
const headCheckMs = 5000
/** After draining, for the last bytes of aborted responses to be sent. */
const finalFlushMs = 1000
/** Disk space that a start needs; if less is free, the reserve file is released. */
const bytesToStart = 2_000_000
/** How often idle and stalled connections are closed while draining. */
const idleSweepMs = 50

export interface Serving {
  url: string
  gateway: Gateway
  routes: readonly MountedRoute[]
  /**
   * Stops accepting requests after DRAIN_DELAY, waits up to DRAIN_TIMEOUT for those in flight, and
   * closes the gateway.
   */
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
 * Length of the accept queue (at most `net.core.somaxconn`). When it is full, the SYN packet is
 * dropped and the client retries a second later. Node's default of 511 is too small when many
 * clients reconnect together.
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

/** Rewords a storage error at startup to say what to do; returns other errors unchanged. */
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

/** Logs the setup code, so that only people with log access can create the first account. */
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

const open = async (config: Config, log: Logger, options: GatewayOverrides) => {
  if ((await freeBytes(config.DATA_DIR)) < bytesToStart) releaseReserve(config.DATA_DIR)
  const releaseLock = config.DATABASE_URL ? () => {} : lockDataDir(config.DATA_DIR)
  try {
    return { releaseLock, gateway: await createGateway(config, log, options) }
  } catch (error) {
    releaseLock()
    throw error
  }
}

/** Opens the gateway and listens. @throws {Error} if the data folder, database or port fails */
export const serve = async (
  config: Config,
  log: Logger,
  options: GatewayOverrides = {},
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
  const closeStalledRequests = createStalledRequestCloser(server)
  app.attachTo(server)
  const url = await listen(server, config)
  await announceSetup(gateway, { url, log })

  return {
    url,
    gateway,
    routes: app.routes,
    stop: async () => {
      gateway.inFlight.announceDrain()
      // Gives load balancers time to notice through /ready before the port closes.
      await sleep(config.DRAIN_DELAY * 1000)
      const drainTimeoutMs = config.DRAIN_TIMEOUT * 1000
      const closed = new Promise((resolve) => server.close(resolve))
      app.drain()
      // Responses started before the drain leave their connections open for another request.
      const sweep = setInterval(() => {
        server.closeIdleConnections()
        closeStalledRequests()
      }, idleSweepMs)
      // At the timeout, model requests receive an error; all others, such as uploads, are cut off.
      const cut = setTimeout(() => {
        server.closeAllConnections()
        app.closeAll()
      }, drainTimeoutMs + finalFlushMs)
      await gateway.inFlight.drain(drainTimeoutMs, closed)
      clearInterval(sweep)
      clearTimeout(cut)
      await gateway.close()
      releaseLock()
    },
  }
}
