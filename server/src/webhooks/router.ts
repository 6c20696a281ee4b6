import type { Router } from "../http/router.ts"
import { webhookRoutes } from "./routes.ts"
import type { Webhooks } from "./webhooks.ts"

export const createWebhookRouter = (router: Router, webhooks: Webhooks): Router => {
  router.on(webhookRoutes.get, () => webhooks.view())
  router.on(webhookRoutes.set, ({ actor, body }) => webhooks.set(actor, body))
  router.on(webhookRoutes.replaceSecret, ({ actor }) => webhooks.replaceSecret(actor))
  router.on(webhookRoutes.test, ({ actor }) => webhooks.test(actor))
  router.on(webhookRoutes.remove, ({ actor }) => webhooks.remove(actor))
  return router
}
