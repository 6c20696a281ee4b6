import { toSinglePage } from "../../http/pagination.ts"
import type { Router } from "../../http/router.ts"
import type { RatingStore } from "./rating-store.ts"
import { ratingRoutes } from "./routes.ts"

/** The ratings of all users, for administrators. */
export const createRatingRouter = (router: Router, ratings: RatingStore): Router => {
  router.on(ratingRoutes.list, ({ query }) => ratings.list(query))
  router.on(ratingRoutes.summary, async () => toSinglePage(await ratings.sumByModel()))
  return router
}
