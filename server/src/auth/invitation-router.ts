import type { Config } from "../config/config.ts"
import { fail } from "../errors.ts"
import type { Router } from "../http/router.ts"
import { invitationRoutes } from "./invitation-routes.ts"
import type { Invitations } from "./invitations.ts"
import { isSameOrigin } from "./same-origin.ts"
import { createSessionCookie } from "./session-cookie.ts"
import { deviceOf } from "./sign-in-device.ts"

interface Deps {
  router: Router
  invitations: Invitations
  config: Pick<Config, "PUBLIC_URL">
}

export const createInvitationRouter = ({ router, invitations, config }: Deps): Router => {
  const cookie = createSessionCookie(config.PUBLIC_URL)

  router.on(invitationRoutes.list, ({ query }) => invitations.list(query))
  router.on(invitationRoutes.create, ({ actor, caller, body }) =>
    invitations.create(actor, caller, body),
  )
  router.on(invitationRoutes.remove, ({ actor, caller, params }) =>
    invitations.revoke(actor, caller, params.id),
  )
  router.on(invitationRoutes.open, ({ body, ...request }) =>
    invitations.open(body.token, deviceOf(request)),
  )
  router.on(invitationRoutes.accept, async ({ body, ...request }) => {
    const { headers } = request.context.incoming
    if (!isSameOrigin(headers, config.PUBLIC_URL))
      fail("forbidden", "Pages of other websites cannot create accounts.")
    const signedIn = await invitations.accept(body, deviceOf(request))
    return Response.json(signedIn, { headers: { "set-cookie": cookie.set(signedIn) } })
  })
  return router
}
