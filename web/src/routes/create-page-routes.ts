import { type AnyRoute, createRoute, lazyRouteComponent } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { loadAdministrationTexts } from "../i18n/translate.ts"
import { createListSearchParser } from "../lib/list-search-params.ts"

/** Imports a page's module, which is downloaded when the page is opened. */
type LoadPage<Name extends string> = () => Promise<Record<Name, () => ReactNode>>

/** Loads what pages need besides their modules. */
type Prepare = () => Promise<void>

/** Creates the routes of pages below a route; `name` is the page in its module. */
export const createPageRoutes = <Parent extends AnyRoute>(parent: Parent, prepare?: Prepare) => {
  const getParentRoute = (): Parent => parent
  const component = <Name extends string>(load: LoadPage<Name>, name: Name) =>
    lazyRouteComponent(async () => {
      const [module] = await Promise.all([load(), prepare?.()])
      return module
    }, name)
  return {
    page: <Path extends string, Name extends string>(
      path: Path,
      name: Name,
      load: LoadPage<Name>,
    ) => createRoute({ getParentRoute, path, component: component(load, name) }),
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
        component: component(load, name),
      }),
  }
}

/** As `createPageRoutes`, for pages that use texts of the administration. */
export const createAdministrationRoutes = <Parent extends AnyRoute>(parent: Parent) =>
  createPageRoutes(parent, loadAdministrationTexts)
