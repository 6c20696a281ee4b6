import { createRootRoute, createRoute, notFound, Outlet, redirect } from "@tanstack/react-router"
import { NotFoundPage } from "../frame/error-pages.tsx"
import { Frame } from "../frame/frame.tsx"
import { queryClient } from "../lib/query-client.ts"
import { configQuery, findPageSession } from "../lib/session.ts"

export const rootRoute = createRootRoute({ component: Outlet })

/** Parent of all routes that require an approved account. */
export const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "inside",
  beforeLoad: async ({ location }) => {
    const session = await findPageSession()
    if (!session) {
      const { first_run } = await queryClient.fetchQuery(configQuery)
      if (first_run) throw redirect({ to: "/welcome" })
      const search = location.href === "/" ? {} : { back: location.href }
      throw redirect({ to: "/sign-in", search })
    }
    if (session.user.role === "pending") throw redirect({ to: "/pending" })
  },
  component: Frame,
})

/** Hides an area from everyone but administrators. */
export const requireAdmin = async (): Promise<void> => {
  const session = await findPageSession()
  if (session?.user.role !== "admin") throw notFound()
}

/** Any address without a page of its own. */
export const notFoundRoute = createRoute({
  getParentRoute: () => signedInRoute,
  path: "$",
  component: NotFoundPage,
})
