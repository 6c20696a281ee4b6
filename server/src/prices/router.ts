import type { Router } from "../http/router.ts"
import type { PricedModels } from "./priced-models.ts"
import type { Prices } from "./prices.ts"
import { priceRoutes } from "./routes.ts"
import type { PriceTransfer } from "./transfer.ts"

interface Deps {
  router: Router
  prices: Prices
  priceTransfer: PriceTransfer
  pricedModels: PricedModels
}

export const createPriceRouter = ({
  router,
  prices,
  priceTransfer,
  pricedModels,
}: Deps): Router => {
  router.on(priceRoutes.list, ({ query }) => prices.list(query))
  // Before the routes of models: `models` and `export` would be one.
  router.on(priceRoutes.listModels, ({ query }) => pricedModels.list(query))
  router.on(priceRoutes.exportAll, ({ query, countReplyBytes }) => {
    const { name, contentType, text } = priceTransfer.exportPrices(query)
    const body = Buffer.from(text)
    countReplyBytes(body.length)
    return new Response(body, {
      headers: {
        "content-type": contentType,
        "content-disposition": `attachment; filename="${name}"`,
        "cache-control": "private, no-store",
      },
    })
  })
  router.on(priceRoutes.importAll, ({ actor, query, body }) =>
    query.preview ? priceTransfer.preview(body) : priceTransfer.importPrices(actor, body),
  )
  router.on(priceRoutes.get, ({ params, query }) => prices.get(params.model, query))
  router.on(priceRoutes.put, ({ actor, params, body }) => prices.put(actor, params.model, body))
  router.on(priceRoutes.remove, ({ actor, params, query }) =>
    prices.remove(actor, params.model, query),
  )
  return router
}
