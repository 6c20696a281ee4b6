import { json, route } from "../http/route.ts"
import { SettingsChanges, SettingsView } from "./schema.ts"

export const settingsRoutes = {
  get: route("get", "/api/v1/settings", {
    access: "admin",
    summary: "Get the current settings, and which are locked by environment variables",
    responses: { 200: json(SettingsView, "All settings") },
  }),
  update: route("post", "/api/v1/settings", {
    access: "admin",
    grantsPrivileges: true,
    summary: "Change settings",
    body: SettingsChanges,
    responses: {
      200: json(SettingsView, "All settings"),
      409: { description: "The setting is locked by an environment variable" },
    },
  }),
}
