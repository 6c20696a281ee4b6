import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { Invitation } from "../../../server/src/auth/invitation-schema.ts"
import type { ApiKey, Session } from "../../../server/src/auth/schema.ts"
import type { Connection, ProviderInfo } from "../../../server/src/connections/schema.ts"
import type { Group } from "../../../server/src/groups/schema.ts"
import type { Page } from "../../../server/src/http/pagination.ts"
import type { EmbeddingStatus } from "../../../server/src/knowledge/embedding-schema.ts"
import type {
  ModelListItem,
  ModelRecord,
  WorkspaceModel,
} from "../../../server/src/models/schema.ts"
import type { Provisioning } from "../../../server/src/scim/provisioning-schema.ts"
import type { SettingsView } from "../../../server/src/settings/schema.ts"
import type { Identities, SignOnProvider } from "../../../server/src/sso/schema.ts"
import type { StorageUsage } from "../../../server/src/storage/schema.ts"
import type { UsageReport } from "../../../server/src/usage/schema.ts"
import type { User } from "../../../server/src/users/schema.ts"
import { ApiError, api, type QueryParams } from "./api.ts"

const refreshMs = 5000

/** Every model that the user may use. */
export const modelsQuery = queryOptions({
  queryKey: ["models"],
  queryFn: async ({ signal }) =>
    (await api.get<{ data: ModelRecord[] }>("/api/v1/models", { signal })).data,
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
      const path = "/api/v1/models/list"
      const { items, total } = await api.get<Page<ModelListItem>>(path, { query, signal })
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
        return await api.get<WorkspaceModel>("/api/v1/models/model", { query: { id }, signal })
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return null
        throw error
      }
    },
  })
/** The user's own storage usage. */
export const storageQuery = queryOptions({
  queryKey: ["storage"],
  queryFn: ({ signal }) => api.get<StorageUsage>("/api/v1/storage", { signal }),
})

export const connectionsQuery = queryOptions({
  queryKey: ["connections"],
  queryFn: async ({ signal }) =>
    (await api.get<Page<Connection>>("/api/v1/connections", { signal })).items,
  refetchInterval: refreshMs,
})

export const providersQuery = queryOptions({
  queryKey: ["providers"],
  queryFn: async ({ signal }) =>
    (await api.get<Page<ProviderInfo>>("/api/v1/connections/providers", { signal })).items,
  staleTime: Number.POSITIVE_INFINITY,
})

export const connectionQuery = (id: string) =>
  queryOptions({
    queryKey: ["connections", id],
    queryFn: ({ signal }) =>
      api.get<Connection>(`/api/v1/connections/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: refreshMs,
  })

export const usersQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["users", query],
    queryFn: ({ signal }) => api.get<Page<User>>("/api/v1/users", { query, signal }),
    placeholderData: keepPreviousData,
  })

export const userQuery = (id: string) =>
  queryOptions({
    queryKey: ["users", id],
    queryFn: ({ signal }) => api.get<User>(`/api/v1/users/${encodeURIComponent(id)}`, { signal }),
  })

export const groupsQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["groups", query],
    queryFn: ({ signal }) => api.get<Page<Group>>("/api/v1/groups", { query, signal }),
    placeholderData: keepPreviousData,
  })

export const invitationsQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["invitations", query],
    queryFn: ({ signal }) => api.get<Page<Invitation>>("/api/v1/invitations", { query, signal }),
    placeholderData: keepPreviousData,
  })

export const groupQuery = (id: string) =>
  queryOptions({
    queryKey: ["groups", id],
    queryFn: ({ signal }) => api.get<Group>(`/api/v1/groups/${encodeURIComponent(id)}`, { signal }),
  })

export interface Member {
  id: string
  name: string
  email: string
}

export const membersQuery = (id: string, query: QueryParams) =>
  queryOptions({
    queryKey: ["groups", id, "members", query],
    queryFn: ({ signal }) =>
      api.get<Page<Member>>(`/api/v1/groups/${encodeURIComponent(id)}/members`, { query, signal }),
    placeholderData: keepPreviousData,
  })

export const keysQuery = queryOptions({
  queryKey: ["keys"],
  queryFn: ({ signal }) => api.get<ApiKey[]>("/api/v1/auths/api_keys", { signal }),
})

export const sessionsQuery = queryOptions({
  queryKey: ["sessions"],
  queryFn: ({ signal }) => api.get<Session[]>("/api/v1/auths/sessions", { signal }),
})

export const settingsQuery = queryOptions({
  queryKey: ["settings"],
  queryFn: ({ signal }) => api.get<SettingsView>("/api/v1/settings", { signal }),
})

/** The model that provides semantic search; administrators get more detail. */
export const embeddingStatusQuery = queryOptions({
  queryKey: ["embedding-model"],
  queryFn: ({ signal }) => api.get<EmbeddingStatus>("/api/v1/embedding-model", { signal }),
})

export const provisioningQuery = queryOptions({
  queryKey: ["provisioning"],
  queryFn: ({ signal }) => api.get<Provisioning>("/api/v1/provisioning", { signal }),
  refetchInterval: refreshMs,
})

export const usageQuery = (query: QueryParams) =>
  queryOptions({
    queryKey: ["usage", query] as const,
    queryFn: ({ signal }) => api.get<UsageReport>("/api/v1/usage", { query, signal }),
    // Another group's totals would be labeled as this group's.
    placeholderData: (previous: UsageReport | undefined, before) =>
      before?.queryKey[1].group_by === query.group_by ? previous : undefined,
  })

export const signOnProvidersQuery = queryOptions({
  queryKey: ["sign-on", "providers"],
  queryFn: async ({ signal }) =>
    (await api.get<Page<SignOnProvider>>("/api/v1/sso/providers", { signal })).items,
})

/** Path of an account's linked identities; `null` means one's own account. */
export const identitiesPath = (userId: string | null): string =>
  userId === null
    ? "/api/v1/sso/identities"
    : `/api/v1/sso/users/${encodeURIComponent(userId)}/identities`

export const identitiesQuery = (userId: string | null) =>
  queryOptions({
    queryKey: ["identities", userId],
    queryFn: ({ signal }) => api.get<Identities>(identitiesPath(userId), { signal }),
  })
