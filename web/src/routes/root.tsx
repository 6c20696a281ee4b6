import { createRootRoute, createRoute, Outlet, redirect } from "@tanstack/react-router"
import { Frame } from "../frame/frame.tsx"
import { NotFound } from "../frame/lost.tsx"
import { queryClient } from "../lib/query-client.ts"
import { configQuery, meQuery } from "../lib/session.ts"

export const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound })

/** Parent of all routes that require an approved account. */
export const inside = createRoute({
  getParentRoute: () => root,
  id: "inside",
  beforeLoad: async ({ location }) => {
    const me = await queryClient.ensureQueryData(meQuery)
    if (!me) {
      const { first_run } = await queryClient.fetchQuery(configQuery)
      if (first_run) throw redirect({ to: "/welcome" })
      const search = location.href === "/" ? {} : { back: location.href }
      throw redirect({ to: "/sign-in", search })
    }
    if (me.role === "pending") throw redirect({ to: "/pending" })
  },
  component: Frame,
})
