import { useQuery } from "@tanstack/react-query"
import { useMemo } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { useStored, writeStored } from "../../lib/stored.ts"

const idsOf = (stored: string | null): string[] => {
  try {
    const ids: unknown = JSON.parse(stored ?? "[]")
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
  } catch {
    return []
  }
}

/** For providers that do not report capabilities, the name is a hint. */
const embedsByName = /(^|[-_/:. ])embed/i

const chats = ({ id, capabilities, is_active }: ModelRecord): boolean =>
  is_active && !(capabilities.embedding ?? embedsByName.test(id))

/** The models available for chatting, and the favorites. */
export const useChatModels = () => {
  const query = useQuery(modelsQuery)
  const stored = useStored("favourites")
  return useMemo(() => {
    const favourites = new Set(idsOf(stored))
    const models = (query.data ?? []).filter(chats)
    return { ...query, models, favourites }
  }, [query, stored])
}

export const toggleFavourite = (id: string, favourites: ReadonlySet<string>): void => {
  const rest = [...favourites].filter((other) => other !== id)
  writeStored("favourites", JSON.stringify(favourites.has(id) ? rest : [...rest, id]))
}

export const rememberModels = (ids: readonly string[]): void =>
  writeStored("models", JSON.stringify(ids))

/**
 * Prefers language models to functions: the bundled function is only useful until a model is
 * connected.
 */
const firstOf = (models: readonly ModelRecord[]): ModelRecord | undefined => {
  const available = models.filter((model) => model.available)
  const language = available.find(({ connection_type }) => connection_type !== "function")
  return language ?? available[0] ?? models[0]
}

/** The models of a new chat: the one in the URL, those used last, or the first available. */
export const useFirstModels = (models: readonly ModelRecord[], named?: string): string[] => {
  const last = idsOf(useStored("models"))
  const known = (id: string): boolean => models.some((model) => model.id === id)
  if (named !== undefined && known(named)) return [named]
  const kept = last.filter(known)
  if (kept.length > 0) return kept
  const first = firstOf(models)
  return first ? [first.id] : []
}

/** If the provider reports no capabilities, assume vision; local runtimes do report them. */
export const seesImages = (model: ModelRecord | undefined): boolean =>
  model !== undefined && (model.capabilities.vision ?? model.connection_type !== "local")
