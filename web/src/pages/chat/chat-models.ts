import { useQuery } from "@tanstack/react-query"
import { useEffect, useMemo } from "react"
import type { ModelRecord } from "../../../../server/src/models/schema.ts"
import {
  readAccountStorage,
  useAccountStorage,
  writeAccountStorage,
} from "../../lib/account-storage.ts"
import { modelsQuery } from "../../lib/queries.ts"
import { usePageSession } from "../../lib/session.ts"

const parseIds = (stored: string | null): string[] => {
  try {
    const ids: unknown = JSON.parse(stored ?? "[]")
    return Array.isArray(ids) ? ids.filter((id) => typeof id === "string") : []
  } catch {
    return []
  }
}

/** For providers that do not report capabilities, the name is a hint. */
const embedsByName = /(^|[-_/:. ])embed/i

/** Whether the model is enabled and answers chats. */
export const isChatModel = ({ id, capabilities, is_active }: ModelRecord): boolean =>
  is_active && !(capabilities.embedding ?? embedsByName.test(id))

/** The models available for chatting, and the favorites. */
export const useChatModels = () => {
  const { data, isPending } = useQuery(modelsQuery)
  const stored = useAccountStorage("favourites")
  // A refetch without changes must not re-render every message.
  return useMemo(() => {
    const models = (data ?? []).filter(isChatModel)
    return { isPending, models, favorites: new Set(parseIds(stored)) }
  }, [data, isPending, stored])
}

export const toggleFavorite = (id: string, favorites: ReadonlySet<string>): void => {
  const rest = [...favorites].filter((other) => other !== id)
  writeAccountStorage("favourites", JSON.stringify(favorites.has(id) ? rest : [...rest, id]))
}

const maxRecent = 4

/** The first is the model of the next chat; the last few remain within reach. */
export const rememberModels = (ids: readonly string[]): void => {
  writeAccountStorage("models", JSON.stringify(ids))
  const recent = new Set([...ids, ...parseIds(readAccountStorage("recentModels"))])
  writeAccountStorage("recentModels", JSON.stringify([...recent].slice(0, maxRecent)))
}

/** The models used last, completed with favorites. */
export const useRecentModels = (models: readonly ModelRecord[]): ModelRecord[] => {
  const recent = parseIds(useAccountStorage("recentModels"))
  const favorites = parseIds(useAccountStorage("favourites"))
  return [...new Set([...recent, ...favorites])]
    .flatMap((id) => models.find((model) => model.id === id) ?? [])
    .slice(0, maxRecent)
}

/** A model that somebody made, whose prompt the user does not see; not one that replaces its base. */
const isWorkspaceModel = ({ id, base_model_id }: ModelRecord): boolean =>
  base_model_id !== undefined && base_model_id !== id

/**
 * The default until the session is loaded again, such as after a connection was added. Prefers
 * language models to functions: the bundled function is only useful until a model is connected.
 */
const findOfferedModel = (models: readonly ModelRecord[]): ModelRecord | undefined => {
  const offered = models.filter((model) => !isWorkspaceModel(model))
  const available = offered.filter((model) => model.available)
  const language = available.find(({ connection_type }) => connection_type !== "function")
  return language ?? available[0] ?? offered[0]
}

/** Makes a model of a connection just created the default of new chats, once it is listed. */
export const useConnectionModelAsDefault = (connectionId: string | null): void => {
  const { models } = useChatModels()
  const model = models.find(
    (one) => !isWorkspaceModel(one) && one.connections.some(({ id }) => id === connectionId),
  )
  const id = model?.id
  useEffect(() => {
    if (id !== undefined) rememberModels([id])
  }, [id])
}

/**
 * The model of a new chat: the one in the URL, the one used last (the first if several were
 * compared), or the gateway's default: the one that administrators chose, or the first of a
 * connection.
 */
export const useDefaultModels = (
  models: readonly ModelRecord[],
  requestedId?: string,
): string[] => {
  const last = parseIds(useAccountStorage("models"))
  const { default_model } = usePageSession()
  const known = (id: string): boolean => models.some((model) => model.id === id)
  if (requestedId !== undefined && known(requestedId)) return [requestedId]
  const remembered = last.find(known)
  if (remembered !== undefined) return [remembered]
  const first = models.find(({ id }) => id === default_model) ?? findOfferedModel(models)
  return first ? [first.id] : []
}

/** If the provider reports no capabilities, assume vision; local runtimes do report them. */
export const supportsImages = (model: ModelRecord | undefined): boolean =>
  model !== undefined && (model.capabilities.vision ?? model.connection_type !== "local")
