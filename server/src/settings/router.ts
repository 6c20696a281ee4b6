import type { Router } from "../http/router.ts"
import { settingsRoutes } from "./routes.ts"
import type { SettingsStore } from "./settings.ts"

export const createSettingsRouter = (router: Router, settings: SettingsStore): Router => {
  router.on(settingsRoutes.get, () => settings.view())
  router.on(settingsRoutes.update, ({ actor, body }) => settings.change(actor, body))
  return router
}
