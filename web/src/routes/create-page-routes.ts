import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { createListSearchParser } from "../lib/list-search-params.ts"

/** Imports a page's module, which is downloaded when the page is opened. */
type LoadPage<Name extends string> = () => Promise<Record<Name, () => ReactNode>>

/** Creates the routes of pages below a route; `name` is the page in its module. */
export const createPageRoutes = <Parent extends AnyRoute>(parent: Parent) => {
  const getParentRoute = (): Parent => parent
  return {
    page: <Path extends string, Name extends string>(
      path: Path,
      name: Name,
      load: LoadPage<Name>,
    ) => createRoute({ getParentRoute, path, component: lazyRouteComponent(load, name) }),
    /** A page with the search parameters of a list; `filters` are the list's own. */
    listPage: <Path extends string, const Filter extends string, Name extends string>(
      path: Path,
      filters: readonly Filter[],
      name: Name,
      load: LoadPage<Name>,
    ) =>
      createRoute({
        getParentRoute,
        path,
        validateSearch: createListSearchParser(...filters),
        component: lazyRouteComponent(load, name),
      }),
  }
}
