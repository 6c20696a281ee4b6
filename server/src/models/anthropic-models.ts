import { z } from "zod"
import { fail } from "../errors.ts"
import type { Caller } from "../http/caller.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { AnthropicModelInfo, AnthropicModelList } from "./anthropic-schema.ts"
import type { ModelCatalogue } from "./catalogue.ts"
import { isChatModel } from "./is-chat-model.ts"
import type { ModelRecord } from "./schema.ts"

/** As in the query string. */
export interface AnthropicPage {
  limit?: string | undefined
  after_id?: string | undefined
  before_id?: string | undefined
}

const Limit = z.coerce.number().pipe(z.int().min(1).max(1000))
const defaultLimit = 20

interface Deps {
  catalogue: Pick<ModelCatalogue, "list" | "get" | "effectiveModel" | "discoverableIdOf">
  settings: Pick<SettingsStore, "current">
}

/** Providers report times that no calendar has; Anthropic uses the epoch for unknown ones. */
const toTimestamp = (seconds: number): string => {
  const date = new Date(seconds * 1000)
  return (Number.isNaN(date.getTime()) ? new Date(0) : date).toISOString()
}

const parseLimit = (limit: string | undefined): number => {
  if (limit === undefined) return defaultLimit
  const parsed = Limit.safeParse(limit)
  return parsed.success ? parsed.data : fail("bad_request", "limit: Use a number from 1 to 1000.")
}

/** The models as Anthropic's API lists them. */
export const createAnthropicModels = ({ catalogue, settings }: Deps) => {
  const listedId = ({ id }: ModelRecord): string => {
    const isAliased =
      settings.current().claude_aliases || catalogue.effectiveModel(id)?.meta.claude_alias
    return isAliased ? catalogue.discoverableIdOf(id) : id
  }

  const toModelInfo = (record: ModelRecord): AnthropicModelInfo => ({
    type: "model",
    id: listedId(record),
    display_name: record.name || record.id,
    created_at: toTimestamp(record.created),
    max_input_tokens: record.context_length ?? null,
    max_tokens: null,
    capabilities: null,
    lifecycle: "active",
    line: null,
    deprecated_at: null,
    retires_at: null,
  })

  const findPosition = (
    models: readonly AnthropicModelInfo[],
    parameter: "after_id" | "before_id",
    id: string,
  ): number => {
    const position = models.findIndex((model) => model.id === id)
    return position < 0
      ? fail("bad_request", `${parameter}: No model in the list has the id "${id.slice(0, 200)}".`)
      : position
  }

  const paginate = (
    models: readonly AnthropicModelInfo[],
    { limit, after_id, before_id }: AnthropicPage,
  ): { data: AnthropicModelInfo[]; has_more: boolean } => {
    const count = parseLimit(limit)
    if (before_id === undefined) {
      const start = after_id === undefined ? 0 : findPosition(models, "after_id", after_id) + 1
      return { data: models.slice(start, start + count), has_more: start + count < models.length }
    }
    if (after_id !== undefined) fail("bad_request", "Send either after_id or before_id, not both.")
    const end = findPosition(models, "before_id", before_id)
    return { data: models.slice(Math.max(0, end - count), end), has_more: end > count }
  }

  return {
    /** One page of the models that can answer. @throws {Failure} `bad_request` */
    list: (caller: Caller, page: AnthropicPage): AnthropicModelList => {
      const models = catalogue.list(caller).filter(isChatModel).map(toModelInfo)
      const { data, has_more } = paginate(models, page)
      return { data, has_more, first_id: data[0]?.id ?? null, last_id: data.at(-1)?.id ?? null }
    },

    /** @throws {Failure} `model_not_found` or `forbidden` */
    get: (caller: Caller, id: string): AnthropicModelInfo => toModelInfo(catalogue.get(caller, id)),
  }
}
