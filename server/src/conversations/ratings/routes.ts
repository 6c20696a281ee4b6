import { Page } from "../../http/pagination.ts"
import { json, route } from "../../http/route.ts"
import { ModelRatings, RatedAnswer, RatingListQuery } from "./schema.ts"

/** The ratings of all users, for administrators. */
export const ratingRoutes = {
  list: route("get", "/api/v1/ratings", {
    access: "admin",
    summary: "List the ratings of answers; `query` searches their reasons",
    query: RatingListQuery,
    responses: { 200: json(Page(RatedAnswer), "One page of ratings, latest first") },
  }),
  summary: route("get", "/api/v1/ratings/summary", {
    access: "admin",
    summary: "Count the ratings of each model",
    responses: { 200: json(Page(ModelRatings), "The models rated most often, at most 200") },
  }),
}
