import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { sql } from "kysely"
import packageJson from "../../package.json" with { type: "json" }
import { addApiDocsRoutes } from "../api-docs/api-docs.ts"
import type { SetupCode } from "../auth/setup-code.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import { fail } from "../errors.ts"
import { isLocalHost } from "../http/host-check.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { isLoopback } from "../http/loopback.ts"
import type { Router } from "../http/router.ts"
import type { MountedRoute } from "../http/server.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { Metrics } from "../usage/metrics.ts"
import type { Users } from "../users/users.ts"
import { monitoringRoutes, type PublicConfig } from "./routes.ts"

const readyTimeoutMs = 2000
const healthy = { status: "ok" } as const

interface Deps {
  router: Router
  config: Config
  db: Database
  settings: SettingsStore
  users: Users
  setupCode: SetupCode
  metrics: Metrics
  storage: Pick<StorageMonitor, "failureMessage">
  inFlight: Pick<InFlightRequests, "isDraining">
  routes: readonly MountedRoute[]
  passwordSignIn: () => PublicConfig["password_sign_in"]
  sso: { buttons: PublicConfig["sign_on"] }
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * With METRICS_TOKEN, requires that token. Without it, allows only direct local requests: none that
 * came through a proxy, and none with a foreign Host, which prevents DNS rebinding.
 */
const mayReadMetrics = (incoming: IncomingMessage, token: string | undefined): boolean => {
  if (token !== undefined) {
    const sent = incoming.headers.authorization?.replace(/^bearer +/i, "") ?? ""
    return timingSafeEqual(digest(sent), digest(token))
  }
  const { headers, socket } = incoming
  const forwarded = headers["x-forwarded-for"] ?? headers.forwarded ?? headers["x-real-ip"]
  const isLocal = isLoopback(socket.remoteAddress ?? "") && isLocalHost(headers.host)
  return isLocal && forwarded === undefined
}

/** Health, metrics and sign-in page configuration, and the API documentation in development. */
export const createMonitoringRouter = (deps: Deps): Router => {
  const { router, config, db, settings, users, metrics, routes, storage, inFlight } = deps
  const { passwordSignIn, setupCode, sso } = deps
  const { version } = packageJson

  router.on(monitoringRoutes.health, () => healthy)
  router.on(monitoringRoutes.ready, async () => {
    if (inFlight.isDraining()) fail("shutting_down", "The gateway is shutting down.")
    const trouble = storage.failureMessage()
    if (trouble) fail("unavailable", `${trouble.text}. See the gateway's log for details.`)
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error("no answer")), readyTimeoutMs)
    })
    try {
      await Promise.race([sql`select 1`.execute(db.read), timeout])
    } catch (cause) {
      fail("unavailable", "The database is unavailable.", { cause })
    } finally {
      clearTimeout(timer)
    }
    return healthy
  })
  router.on(monitoringRoutes.metrics, async ({ context }) => {
    if (!mayReadMetrics(context.incoming, config.METRICS_TOKEN)) {
      fail(
        "unauthorized",
        "Send METRICS_TOKEN as a bearer token, or send the request from the gateway's own machine.",
      )
    }
    return new Response(await metrics.render(), {
      headers: { "content-type": metrics.contentType },
    })
  })
  router.on(monitoringRoutes.version, () => ({ version }))
  router.on(monitoringRoutes.config, async () => ({
    name: "Portico",
    version,
    first_run: !(await users.hasAny()),
    setup_code_required: (await setupCode.findRequired()) !== null,
    signup: settings.current().enable_signup && passwordSignIn() === "on",
    password_sign_in: passwordSignIn(),
    sign_on: sso.buttons,
    runtime_prefix: config.RUNTIME_PREFIX,
  }))
  if (config.ENV === "dev") addApiDocsRoutes(router, routes)
  return router
}
