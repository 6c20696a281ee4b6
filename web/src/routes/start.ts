import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router"
import { queryClient } from "../lib/query-client.ts"
import { configQuery, meQuery } from "../lib/session.ts"
import { inside, root } from "./root.tsx"

/** Where to go after sign-in. Only paths on this site, to prevent open redirects. */
const backSearch = ({ back }: Record<string, unknown>): { back?: string | undefined } => ({
  // The router keeps parameters that a route omits, so an invalid one must be overwritten.
  back: typeof back === "string" && /^\/(?![/\\])/.test(back) ? back : undefined,
})

const welcome = createRoute({
  getParentRoute: () => root,
  path: "/welcome",
  beforeLoad: async () => {
    const { first_run } = await queryClient.fetchQuery(configQuery)
    if (!first_run) throw redirect({ to: "/" })
  },
  component: lazyRouteComponent(() => import("../pages/start/welcome.tsx"), "WelcomePage"),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: backSearch,
  beforeLoad: async ({ search }) => {
    if (await queryClient.ensureQueryData(meQuery)) throw redirect({ to: search.back ?? "/" })
    const { first_run } = await queryClient.fetchQuery(configQuery)
    if (first_run) throw redirect({ to: "/welcome" })
  },
  component: lazyRouteComponent(() => import("../pages/start/sign-in.tsx"), "SignInPage"),
})

const asText = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined

/** Why signing in with a provider failed; the gateway redirects here. */
const signInProblem = createRoute({
  getParentRoute: () => root,
  path: "/sign-in/problem",
  validateSearch: ({ problem, provider, request }: Record<string, unknown>) => ({
    problem: asText(problem),
    provider: asText(provider),
    request: asText(request),
  }),
  component: lazyRouteComponent(() => import("../pages/start/problem.tsx"), "ProblemPage"),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: "/sign-up",
  beforeLoad: async () => {
    const { first_run, signup } = await queryClient.fetchQuery(configQuery)
    if (first_run) throw redirect({ to: "/welcome" })
    if (!signup) throw redirect({ to: "/sign-in" })
  },
  component: lazyRouteComponent(() => import("../pages/start/sign-up.tsx"), "SignUpPage"),
})

const pending = createRoute({
  getParentRoute: () => root,
  path: "/pending",
  beforeLoad: async () => {
    const me = await queryClient.ensureQueryData(meQuery)
    if (!me) throw redirect({ to: "/sign-in" })
    if (me.role !== "pending") throw redirect({ to: "/" })
  },
  component: lazyRouteComponent(() => import("../pages/start/pending.tsx"), "PendingPage"),
})

const connect = createRoute({
  getParentRoute: () => inside,
  path: "/connect",
  component: lazyRouteComponent(() => import("../pages/start/connect.tsx"), "ConnectPage"),
})

export const outsideRoutes = [welcome, signIn, signInProblem, signUp, pending] as const
export const startRoutes = [connect] as const
