import { json } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { SettingsChanges, SettingsView } from "./schema.ts"
import type { SettingsStore } from "./settings.ts"

export const settingsRoutes = (router: Router, settings: SettingsStore): Router => {
  router.on("get", "/", {
    access: "admin",
    summary: "Get the current settings, and which are locked by environment variables",
    responses: { 200: json(SettingsView, "All settings") },
    handle: () => settings.view(),
  })
  router.on("post", "/", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change settings",
    body: SettingsChanges,
    responses: {
      200: json(SettingsView, "All settings"),
      409: { description: "The setting is locked by an environment variable" },
    },
    handle: ({ actor, body }) => settings.change(actor, body),
  })
  return router
}
