import { queryOptions } from "@tanstack/react-query"
import { api } from "../../lib/api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { configQuery } from "../../lib/session.ts"

/** Of Ollama's `/api/tags`, as far as it is shown. */
export interface Tag {
  name: string
  size?: number
  modified_at?: string
  details?: { parameter_size?: string; quantization_level?: string }
}

/** Of Ollama's `/api/ps`. */
export interface LoadedModel {
  name: string
  size_vram?: number
  size?: number
  expires_at?: string
}

/** Where the runtime's own API is on this server. */
export const runtimePath = async (path: string): Promise<string> => {
  const { runtime_prefix } = await queryClient.ensureQueryData(configQuery)
  return `/${runtime_prefix}/api/${path}`
}

export const tagsQuery = queryOptions({
  queryKey: ["runtime", "tags"],
  queryFn: async ({ signal }) =>
    (await api.get<{ models: Tag[] | null }>(await runtimePath("tags"), { signal })).models ?? [],
  // What was pulled shows up a moment after the pull has ended.
  refetchInterval: 3000,
})

export const loadedQuery = queryOptions({
  queryKey: ["runtime", "loaded"],
  queryFn: async ({ signal }) =>
    (await api.get<{ models: LoadedModel[] | null }>(await runtimePath("ps"), { signal })).models ??
    [],
  refetchInterval: 5000,
})
