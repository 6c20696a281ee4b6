import type { Fixtures } from "./fixtures.ts"
import type { Recipes } from "./recipes.ts"

/** Requests that change managers, service keys and others' keys, and succeed. */
export const managerRecipes = ({ post, newGroup, newUser }: Fixtures): Recipes => {
  const groupWithMember = async (): Promise<{ id: string; user_ids: string[] }> => {
    const { id } = await newGroup()
    const user_ids = [(await newUser()).id]
    await post(`/api/v1/groups/${id}/members/add`, { user_ids })
    return { id, user_ids }
  }
  return {
    "POST /api/v1/groups/:id/managers/add": async () => {
      const { id, user_ids } = await groupWithMember()
      return { path: `/api/v1/groups/${id}/managers/add`, body: { user_ids } }
    },
    "POST /api/v1/groups/:id/managers/remove": async () => {
      const { id, user_ids } = await groupWithMember()
      await post(`/api/v1/groups/${id}/managers/add`, { user_ids })
      return { path: `/api/v1/groups/${id}/managers/remove`, body: { user_ids } }
    },
    "POST /api/v1/groups/:id/keys": async () => ({
      path: `/api/v1/groups/${(await newGroup()).id}/keys`,
      body: { name: "service" },
    }),
    "DELETE /api/v1/groups/:id/keys/:key_id": async () => {
      const { id } = await newGroup()
      const key = await post(`/api/v1/groups/${id}/keys`, { name: "gone" })
      return { path: `/api/v1/groups/${id}/keys/${key.id}` }
    },
    "DELETE /api/v1/keys/:id": async () => {
      const { id } = await post("/api/v1/auths/api_keys", { name: "gone" })
      return { path: `/api/v1/keys/${id}` }
    },
  }
}
