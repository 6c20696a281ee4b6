import { type Fixtures, password } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Requests about invitations that succeed. */
export const invitationRecipes = ({ post, newGroup }: Fixtures, secrets: string[]): Recipes => {
  const path = "/api/v1/invitations"
  const newInvitation = async () => {
    const created = await post(`${path}/create`, { group_ids: [(await newGroup()).id] })
    secrets.push(created.token)
    return created
  }
  return {
    [`POST ${path}/create`]: async () => ({
      path: `${path}/create`,
      body: { email: "guest@example.com", group_ids: [(await newGroup()).id] },
    }),
    [`POST ${path}/accept`]: async () => ({
      path: `${path}/accept`,
      body: {
        token: (await newInvitation()).token,
        name: "Guest",
        email: "another.guest@example.com",
        password,
      },
      key: null,
      actions: [
        ...["user.created", "group.members_changed"],
        ...["invitation.accepted", "session.created"],
      ],
    }),
    [`DELETE ${path}/:id`]: async () => ({ path: `${path}/${(await newInvitation()).id}` }),
  }
}
