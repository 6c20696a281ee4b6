import { queryOptions } from "@tanstack/react-query"
import type { ModelList, ModelListItem } from "../../../server/src/models/schema.ts"
import type { UsageReport } from "../../../server/src/usage/schema.ts"
import { ApiError, api, callJson } from "./api.ts"
import type { QueryFor } from "./api-types.ts"
import { pageQuery, routeQuery } from "./route-query.ts"

const refreshMs = 5000

/** Every model that the user may use. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) =>
    (await callJson<ModelList>("GET", "/api/v1/models", { signal })).data,
})

/**
 * Every workspace model that the user may use. Fetches all pages, because the model list merges
 * them with the other models.
 */
export const workspaceModelsQuery = queryOptions({
  queryKey: ["models", "workspace"],
  queryFn: async ({ signal }) => {
    const models: ModelListItem[] = []
    for (let page = 1; ; page++) {
      const query = { page, page_size: 200, order_by: "created_at" }
      const { items, total } = await api.get("/api/v1/models/list", { query, signal })
      models.push(...items)
      if (items.length === 0 || models.length >= total) return models
    }
  },
})

/** Null if no such workspace model exists or the user may not use it. */
export const workspaceModelQuery = (id: string) =>
  queryOptions({
    queryKey: ["models", "workspace", id],
    queryFn: async ({ signal }) => {
      try {
        return await api.get("/api/v1/models/model", { query: { id }, signal })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })
/** The user's own storage usage. */
export const storageQuery = routeQuery(["storage"], "/api/v1/storage")

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: async ({ signal }) => (await api.get("/api/v1/connections", { signal })).items,
  refetchInterval: refreshMs,
})

export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: async ({ signal }) => (await api.get("/api/v1/connections/providers", { signal })).items,
  staleTime: Number.POSITIVE_INFINITY,
})

export const connectionQuery = (id: string) => ({
  ...routeQuery(["connections", id], "/api/v1/connections/:id", { params: { id } }),
  refetchInterval: refreshMs,
})

export const usersQuery = (query: QueryFor<"/api/v1/users">) =>
  pageQuery(["users", query], "/api/v1/users", { query })

export const userQuery = (id: string) =>
  routeQuery(["users", id], "/api/v1/users/:id", { params: { id } })

export const groupsQuery = (query: QueryFor<"/api/v1/groups">) =>
  pageQuery(["groups", query], "/api/v1/groups", { query })

export const invitationsQuery = (query: QueryFor<"/api/v1/invitations">) =>
  pageQuery(["invitations", query], "/api/v1/invitations", { query })

export const groupQuery = (id: string) =>
  routeQuery(["groups", id], "/api/v1/groups/:id", { params: { id } })

export const membersQuery = (id: string, query: QueryFor<"/api/v1/groups/:id/members">) =>
  pageQuery(["groups", id, "members", query], "/api/v1/groups/:id/members", {
    params: { id },
    query,
  })

/** The groups that the user is a member of. */
export const ownGroupsQuery = routeQuery(["groups", "mine"], "/api/v1/groups/mine")

export const serviceKeysQuery = (groupId: string) =>
  routeQuery(["groups", groupId, "keys"], "/api/v1/groups/:id/keys", { params: { id: groupId } })

/** The keys of all users and groups, for administrators. */
export const allKeysQuery = (query: QueryFor<"/api/v1/keys">) =>
  pageQuery(["keys", "all", query], "/api/v1/keys", { query })

export const keysQuery = routeQuery(["keys"], "/api/v1/auths/api_keys")

export const sessionsQuery = routeQuery(["sessions"], "/api/v1/auths/sessions")

export const settingsQuery = routeQuery(["settings"], "/api/v1/settings")

/** The model that provides semantic search; administrators get more detail. */
export const embeddingStatusQuery = routeQuery(["embedding-model"], "/api/v1/embedding-model")

export const provisioningQuery = {
  ...routeQuery(["provisioning"], "/api/v1/provisioning"),
  refetchInterval: refreshMs,
}

export const usageQuery = (query: QueryFor<"/api/v1/usage">) =>
  queryOptions({
    queryKey: ["usage", query] as const,
    queryFn: ({ signal }) => api.get("/api/v1/usage", { query, signal }),
    // Another group's totals would be labeled as this group's.
    placeholderData: (previous: UsageReport | undefined, before) =>
      before?.queryKey[1].group_by === query.group_by ? previous : undefined,
  })

export const signOnProvidersQuery = queryOptions({
  queryKey: ["sign-on", "providers"],
  queryFn: async ({ signal }) => (await api.get("/api/v1/sso/providers", { signal })).items,
})

/** Identities linked to an account; `null` means one's own account. */
export const identitiesQuery = (userId: string | null) =>
  queryOptions({
    queryKey: ["identities", userId],
    queryFn: ({ signal }) =>
      userId === null
        ? api.get("/api/v1/sso/identities", { signal })
        : api.get("/api/v1/sso/users/:id/identities", { params: { id: userId }, signal }),
  })
