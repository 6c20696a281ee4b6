import { keepPreviousData, type QueryKey, queryOptions } from "@tanstack/react-query"
import { api } from "./api.ts"
import type { CallArguments, PathOf, RouteOf } from "./api-types.ts"

type GetArguments<Path> = CallArguments<RouteOf<"get", Path>>

/** A query that requests a `get` route; the arguments after its key are those of `api.get`. */
export const routeQuery = <Path extends PathOf<"get">>(
  queryKey: QueryKey,
  path: Path,
  ...[options]: GetArguments<Path>
) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) =>
      api.get(path, ...([Object.assign({ signal }, options)] as GetArguments<Path>)),
  })

/** As `routeQuery`, for one page of a list; shows the page before while it loads. */
export const pageQuery = <Path extends PathOf<"get">>(
  queryKey: QueryKey,
  path: Path,
  ...options: GetArguments<Path>
) => ({ ...routeQuery(queryKey, path, ...options), placeholderData: keepPreviousData })
