import { z } from "zod"
import { json, route } from "../http/route.ts"

const Health = z.object({ status: z.literal("ok") }).meta({ id: "Health" })
const Version = z.object({ version: z.string() }).meta({ id: "Version" })

export const PublicConfig = z
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
export type PublicConfig = z.output<typeof PublicConfig>

/** Health, metrics and sign-in page configuration. */
export const monitoringRoutes = {
  health: route("get", "/health", {
    access: "anyone",
    summary: "Liveness: the process is running",
    responses: { 200: json(Health, "OK") },
  }),
  ready: route("get", "/ready", {
    access: "anyone",
    summary: "Readiness: the database responds, writes succeed and no shutdown is in progress",
    responses: { 200: json(Health, "OK"), 503: { description: "Not ready" } },
  }),
  metrics: route("get", "/metrics", {
    access: "anyone",
    summary: "Metrics in Prometheus format; requires METRICS_TOKEN or a local request",
    responses: {
      200: { description: "Metrics", contentType: "text/plain" },
      401: { description: "Missing or invalid token" },
    },
  }),
  version: route("get", "/api/version", {
    access: "anyone",
    summary: "The gateway's version",
    responses: { 200: json(Version, "Semantic version") },
  }),
  config: route("get", "/api/config", {
    access: "anyone",
    summary: "Get the configuration of the sign-in page",
    responses: { 200: json(PublicConfig, "Public configuration") },
  }),
}
