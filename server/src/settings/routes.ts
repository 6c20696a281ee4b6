import { json, route } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { SettingsChanges, SettingsView } from "./schema.ts"
import type { SettingsStore } from "./settings.ts"

export const settingsRoutes = (router: Router, settings: SettingsStore): Router => {
  router.on(
    route("admin", {
      method: "get",
      path: "/",
      summary: "Get the current settings, and which are locked by environment variables",
      responses: { 200: json(SettingsView, "All settings") },
    }),
    () => settings.view(),
  )
  router.on(
    route("admin", {
      method: "post",
      path: "/",
      grantsPrivileges: true,
      summary: "Change settings",
      body: SettingsChanges,
      responses: {
        200: json(SettingsView, "All settings"),
        409: { description: "The setting is locked by an environment variable" },
      },
    }),
    ({ actor, body }) => settings.change(actor, body),
  )
  return router
}
