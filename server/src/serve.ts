import { createServer, type Server } from "node:http"
import type { Logger } from "pino"
import { createApp } from "./app.ts"
import type { Config } from "./config.ts"
import { holdDataDir } from "./db/lock.ts"
import { createGateway, type Gateway } from "./gateway.ts"
import { answerUnreadable } from "./http/unreadable.ts"

/** Proxies in front keep connections for a minute; ours must outlive theirs. */
const keepAliveMs = 75_000
/** After draining, for replies that were just ended to leave the machine. */
const lastWordsMs = 1000
/** How soon a connection that became idle while draining is closed. */
const sweepMs = 50

export interface Serving {
  url: string
  gateway: Gateway
  /** Takes no more requests, lets running ones finish within DRAIN_TIMEOUT, and closes. */
  stop(): Promise<void>
}

const listenError = (error: NodeJS.ErrnoException, { HOST, PORT }: Config): Error => {
  if (error.code === "EADDRINUSE") {
    return new Error(`Port ${PORT} on ${HOST} is in use by another program; set PORT to a free one`)
  }
  if (error.code === "EACCES") {
    return new Error(`This user may not listen on port ${PORT} of ${HOST}; set PORT above 1023`)
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

/** Opens everything and serves. @throws when the data folder, the database or the port is not to be had */
export const serve = async (config: Config, log: Logger): Promise<Serving> => {
  const letGo = config.DATABASE_URL ? () => {} : holdDataDir(config.DATA_DIR)
  const gateway = await createGateway(config, log)
  const app = createApp(gateway, log)
  const server = createServer(app.listener)
  answerUnreadable(server)
  server.keepAliveTimeout = keepAliveMs
  app.standBefore(server)
  const url = await listen(server, config)

  return {
    url,
    gateway,
    stop: async () => {
      const patienceMs = config.DRAIN_TIMEOUT * 1000
      const closed = new Promise((resolve) => server.close(resolve))
      app.drain()
      // A connection whose reply began before would be kept for a next request.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs)
      // Model requests are told when the time is up; all others, such as uploads, are cut.
      const cut = setTimeout(() => {
        server.closeAllConnections()
        app.closeAll()
      }, patienceMs + lastWordsMs)
      await gateway.running.drain(patienceMs)
      await closed
      clearInterval(sweep)
      clearTimeout(cut)
      await gateway.close()
      letGo()
    },
  }
}
