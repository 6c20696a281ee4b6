import { createFindCaller } from "../auth/find-caller.ts"
import type { SessionCookie } from "../auth/session-cookie.ts"
import { deviceOf } from "../auth/sign-in-device.ts"
import { Failure, fail } from "../errors.ts"
import { readBytes } from "../http/body.ts"
import type { Actor } from "../http/caller.ts"
import type { RequestContext } from "../http/request-context.ts"
import type { Authenticate, Router } from "../http/router.ts"
import { translatable } from "../i18n/message.ts"
import type { SingleSignOn } from "./create-sso.ts"
import type { SignOnProviderClient } from "./provider-client.ts"
import { refuseSignOn, SignOnRefusal } from "./refusal.ts"
import { signOnRoutes } from "./routes.ts"

interface Deps {
  router: Router
  sso: SingleSignOn
  authenticate: Authenticate
  sessionCookie: SessionCookie
}

const formLimit = 100_000

/** Keeps codes and tokens out of caches and Referer headers. */
const secretHeaders = { "cache-control": "no-store", "referrer-policy": "no-referrer" }

const redirectTo = (location: string, cookies: readonly string[] = []): Response => {
  const headers = new Headers({ ...secretHeaders, location })
  for (const cookie of cookies) headers.append("set-cookie", cookie)
  return new Response(null, { status: 302, headers })
}

const unavailableFailure = (cause: unknown): Failure =>
  new Failure("unavailable", "The logout token cannot be verified right now. Try again later.", {
    cause,
  })

const queryOf = ({ incoming }: RequestContext): string => {
  const url = incoming.url ?? ""
  const mark = url.indexOf("?")
  return mark < 0 ? "" : url.slice(mark)
}

/** Routes for signing in and out through a provider, and for requests from providers. */
export const createSignOnRouter = ({ router, sso, authenticate, sessionCookie }: Deps): Router => {
  const { signOn, flows, findProvider } = sso
  const callerOf = createFindCaller(authenticate)

  const providerOf = (name: string): SignOnProviderClient =>
    findProvider(name) ?? refuseSignOn("unknown_provider")

  /** Redirects to the page that explains what went wrong and what to do. */
  const redirectToProblem = async (
    error: unknown,
    { provider, actor, context }: { provider: string; actor: Actor; context: RequestContext },
    cookies: readonly string[] = [],
  ): Promise<Response> => {
    if (error instanceof Failure) context.failure = error
    const problem = await signOn.recordRefusal(error, provider, actor)
    const query = new URLSearchParams({ problem, request: context.requestId })
    if (findProvider(provider)) query.set("provider", provider)
    return redirectTo(`/sign-in/problem?${query}`, cookies)
  }

  router.on(
    signOnRoutes.start,
    async ({ params: { provider }, query: { back, moved }, actor, context }) => {
      try {
        const target = providerOf(provider)
        const { host } = context.incoming.headers
        // The cookie must belong to the host that the provider redirects to. Redirects only once,
        // as a proxy may rewrite the host of every request.
        if (host !== sso.publicHost && moved === undefined) {
          const query = new URLSearchParams({ ...(back && { back }), moved: "yes" })
          return redirectTo(`${target.startUri}?${query}`)
        }
        const { location, cookie } = await signOn.start(target, { back })
        return redirectTo(location, [cookie])
      } catch (error) {
        return redirectToProblem(error, { provider, actor, context })
      }
    },
  )

  router.on(signOnRoutes.callback, async ({ params: { provider: name }, context, actor }) => {
    const search = queryOf(context)
    const state = new URLSearchParams(search).get("state") ?? ""
    const clearedCookies: string[] = []
    try {
      const provider = providerOf(name)
      const { headers } = context.incoming
      const flow = flows.find(headers, { provider: name, state }) ?? refuseSignOn("expired")
      clearedCookies.push(flows.clearCookie(flow.state))
      const target = { provider, flow, search }
      const device = deviceOf({ context, actor })
      const signedIn = await signOn.finish(target, device, () => callerOf(context))
      const session = signedIn ? [sessionCookie.set(signedIn)] : []
      return redirectTo(flow.back, [...clearedCookies, ...session])
    } catch (error) {
      return redirectToProblem(error, { provider: name, actor, context }, clearedCookies)
    }
  })

  router.on(signOnRoutes.link, async ({ params, caller }) => {
    const provider = findProvider(params.provider)
    if (!provider) return fail("not_found", `No provider named ${params.provider}`)
    if (caller.credential.type !== "session")
      fail("bad_request", "An API key cannot link an account. Sign in first.")
    const userId = caller.user.id
    const { location, cookie } = await signOn
      .start(provider, { back: "/account", userId })
      .catch((error: unknown) => {
        if (!(error instanceof SignOnRefusal)) throw error
        return fail(
          "upstream_unreachable",
          translatable("sign_on_unavailable", { provider: provider.settings.label }),
        )
      })
    const headers = { ...secretHeaders, "set-cookie": cookie }
    return Response.json({ redirect: location }, { headers })
  })

  router.on(signOnRoutes.signOut, async ({ actor, caller }) => {
    const redirect = await signOn.signOut(actor, caller, findProvider)
    const headers = { ...secretHeaders, "set-cookie": sessionCookie.clear() }
    return Response.json({ redirect }, { headers })
  })

  router.on(signOnRoutes.backchannelLogout, async ({ params, actor, context }) => {
    const provider = findProvider(params.provider)
    if (!provider) return fail("not_found", `No provider named ${params.provider}`)
    const body = await readBytes(context.incoming, formLimit)
    const token = new URLSearchParams(body.toString("utf8")).get("logout_token") ?? ""
    try {
      await signOn.endByProvider(provider, token, actor)
    } catch (error) {
      const problem = await signOn.recordRefusal(error, params.provider, actor)
      if (problem !== "invalid_answer") throw unavailableFailure(error)
      const responseBody = {
        error: "invalid_request",
        error_description: "The logout token is invalid",
      }
      return Response.json(responseBody, { status: 400, headers: secretHeaders })
    }
    return new Response(null, { status: 200, headers: secretHeaders })
  })

  return router
}
