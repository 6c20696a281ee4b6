import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { readSearchText } from "../lib/list-search-params.ts"
import { queryClient } from "../lib/query-client.ts"
import { configQuery, sessionQuery } from "../lib/session.ts"
import { createPageRoutes } from "./create-page-routes.ts"
import { rootRoute, signedInRoute } from "./root.tsx"

/** Where to go after sign-in. Only paths on this site, to prevent open redirects. */
const parseBackSearch = ({ back }: Record<string, unknown>): { back?: string | undefined } => ({
  // The router keeps parameters that a route omits, so an invalid one must be overwritten.
  back: typeof back === "string" && /^\/(?![/\\])/.test(back) ? back : undefined,
})

const { page } = createPageRoutes(rootRoute)

export const signedOutRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/welcome",
    beforeLoad: async () => {
      const { first_run } = await queryClient.fetchQuery(configQuery)
      if (!first_run) throw redirect({ to: "/" })
    },
    component: lazyRouteComponent(() => import("../pages/start/welcome.tsx"), "WelcomePage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in",
    validateSearch: parseBackSearch,
    beforeLoad: async ({ search }) => {
      if (await queryClient.ensureQueryData(sessionQuery))
        throw redirect({ to: search.back ?? "/" })
      const { first_run } = await queryClient.fetchQuery(configQuery)
      if (first_run) throw redirect({ to: "/welcome" })
    },
    component: lazyRouteComponent(() => import("../pages/start/sign-in.tsx"), "SignInPage"),
  }),
  // Why signing in with a provider failed; the gateway redirects here.
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-in/problem",
    validateSearch: ({ problem, provider, request }: Record<string, unknown>) => ({
      problem: readSearchText(problem),
      provider: readSearchText(provider),
      request: readSearchText(request),
    }),
    component: lazyRouteComponent(
      () => import("../pages/start/sign-in-problem.tsx"),
      "SignInProblemPage",
    ),
  }),
  // Shown in the tab in which single sign-on took place while another tab waited.
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/signed-in",
    beforeLoad: async () => {
      if (!(await queryClient.ensureQueryData(sessionQuery))) throw redirect({ to: "/sign-in" })
    },
    component: lazyRouteComponent(() => import("../pages/start/signed-in.tsx"), "SignedInPage"),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/sign-up",
    beforeLoad: async () => {
      const { first_run, signup } = await queryClient.fetchQuery(configQuery)
      if (first_run) throw redirect({ to: "/welcome" })
      if (!signup) throw redirect({ to: "/sign-in" })
    },
    component: lazyRouteComponent(() => import("../pages/start/sign-up.tsx"), "SignUpPage"),
  }),
  // The fragment of its address is the invitation's token.
  page("/invite", "InvitePage", () => import("../pages/start/invite.tsx")),
  createRoute({
    getParentRoute: () => rootRoute,
    path: "/pending",
    beforeLoad: async () => {
      const session = await queryClient.ensureQueryData(sessionQuery)
      if (!session) throw redirect({ to: "/sign-in" })
      if (session.user.role !== "pending") throw redirect({ to: "/" })
    },
    component: lazyRouteComponent(() => import("../pages/start/pending.tsx"), "PendingPage"),
  }),
] as const

export const startRoutes = [
  createPageRoutes(signedInRoute).page(
    "/connect",
    "ConnectPage",
    () => import("../pages/start/connect.tsx"),
  ),
] as const
