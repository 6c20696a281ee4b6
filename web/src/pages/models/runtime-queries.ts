import { queryOptions } from "@tanstack/react-query"
import { callJson } from "../../lib/api.ts"
import { queryClient } from "../../lib/query-client.ts"
import { configQuery } from "../../lib/session.ts"

/** A model from Ollama's `/api/tags`, with the fields shown here. */
interface OllamaTag {
  name: string
  size?: number
  modified_at?: string
  details?: { parameter_size?: string; quantization_level?: string }
}

/** A model from Ollama's `/api/ps`. */
interface LoadedModel {
  name: string
  size_vram?: number
  size?: number
  expires_at?: string
}

/** Path of the runtime's native API on this server. */
export const runtimePath = async (path: string): Promise<string> => {
  const { runtime_prefix } = await queryClient.ensureQueryData(configQuery)
  return `/${runtime_prefix}/api/${path}`
}

const fetchModels = async <T>(path: string, signal: AbortSignal): Promise<T[]> => {
  const url = await runtimePath(path)
  const { models } = await callJson<{ models: T[] | null }>("GET", url, { signal })
  return models ?? []
}

export const installedModelsQuery = queryOptions({
  queryKey: ["runtime", "tags"],
  queryFn: ({ signal }) => fetchModels<OllamaTag>("tags", signal),
  // A pulled model is listed shortly after the pull has ended.
  refetchInterval: 3000,
})

export const loadedModelsQuery = queryOptions({
  queryKey: ["runtime", "loaded"],
  queryFn: ({ signal }) => fetchModels<LoadedModel>("ps", signal),
  refetchInterval: 5000,
})
