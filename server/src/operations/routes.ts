import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage } from "node:http"
import { sql } from "kysely"
import { z } from "zod"
import packageJson from "../../package.json" with { type: "json" }
import type { SetupCode } from "../auth/setup-code.ts"
import type { Config } from "../config/config.ts"
import type { Database } from "../db/database.ts"
import type { StorageMonitor } from "../db/storage-monitor.ts"
import { fail } from "../errors.ts"
import { isLocalHost } from "../http/host-check.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import { isLoopback } from "../http/loopback.ts"
import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import type { MountedRoute } from "../http/server.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { Metrics } from "../usage/metrics.ts"
import type { Users } from "../users/users.ts"
import { docsRoutes } from "./api-docs.ts"

const readyTimeoutMs = 2000

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
  passwordSignIn: () => z.output<typeof PublicConfig>["password_sign_in"]
  sso: { buttons: z.output<typeof PublicConfig>["sign_on"] }
}

const Health = z.object({ status: z.literal("ok") }).meta({ id: "Health" })
const Version = z.object({ version: z.string() }).meta({ id: "Version" })
const PublicConfig = z
  .object({
    name: z.string(),
    version: z.string(),
    /** True if no account exists yet, so the first one can be created. */
    first_run: z.boolean(),
    /** True if creating the first account requires the setup code from the gateway's log. */
    setup_code_required: z.boolean(),
    signup: z.boolean(),
    /** Who can sign in with a password. */
    password_sign_in: z.enum(["on", "administrators", "off"]),
    /** SSO providers, one button each. */
    sign_on: z.array(z.object({ name: z.string(), label: z.string() })),
    runtime_prefix: z.string(),
  })
  .meta({ id: "PublicConfig" })

const digest = (text: string): Buffer => createHash("sha256").update(text).digest()

/**
 * With METRICS_TOKEN, requires that token. Without it, allows only direct local requests: none that
 * came through a proxy, and none with a foreign Host, which prevents DNS rebinding.
 */
const canReadMetrics = (incoming: IncomingMessage, token: string | undefined): boolean => {
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
export const operationRoutes = (deps: Deps): Router => {
  const { router, config, db, settings, users, metrics, routes, storage, inFlight } = deps
  const { passwordSignIn, setupCode, sso } = deps
  const { version } = packageJson

  router.on("get", "/health", {
    access: "anyone",
    summary: "Liveness: the process is running",
    responses: { 200: json(Health, "OK") },
    handle: () => ({ status: "ok" }),
  })
  router.on("get", "/ready", {
    access: "anyone",
    summary: "Readiness: the database responds, writes succeed and no shutdown is in progress",
    responses: { 200: json(Health, "OK"), 503: { description: "Not ready" } },
    handle: async () => {
      if (inFlight.isDraining()) fail("shutting_down", "The gateway is shutting down.")
      const trouble = storage.failureMessage()
      if (trouble) fail("unavailable", `${trouble}. See the gateway's log for details.`)
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
      return { status: "ok" }
    },
  })
  router.on("get", "/metrics", {
    access: "anyone",
    summary: "Metrics in Prometheus format; requires METRICS_TOKEN or a local request",
    responses: {
      200: { description: "Metrics", contentType: "text/plain" },
      401: { description: "Missing or invalid token" },
    },
    handle: async ({ exchange }) => {
      if (!canReadMetrics(exchange.incoming, config.METRICS_TOKEN)) {
        fail(
          "unauthorized",
          "Send METRICS_TOKEN as a bearer token, or send the request from the gateway's own machine.",
        )
      }
      return new Response(await metrics.render(), {
        headers: { "content-type": metrics.contentType },
      })
    },
  })
  router.on("get", "/api/version", {
    access: "anyone",
    summary: "The gateway's version",
    responses: { 200: json(Version, "Semantic version") },
    handle: () => ({ version }),
  })
  router.on("get", "/api/config", {
    access: "anyone",
    summary: "Get the configuration of the sign-in page",
    responses: { 200: json(PublicConfig, "Public configuration") },
    handle: async () => ({
      name: "Portico",
      version,
      first_run: !(await users.hasAny()),
      setup_code_required: (await setupCode.findRequired()) !== null,
      signup: settings.current().enable_signup && passwordSignIn() === "on",
      password_sign_in: passwordSignIn(),
      sign_on: sso.buttons,
      runtime_prefix: config.RUNTIME_PREFIX,
    }),
  })
  if (config.ENV === "dev") docsRoutes(router, routes)
  return router
}
