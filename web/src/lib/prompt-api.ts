import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type {
  NewPrompt,
  PersonalInstructions,
  PromptChanges,
  PromptListItem,
  PromptWithAccess,
} from "../../../server/src/prompts/schema.ts"
import { api } from "./api.ts"
import type { QueryFor } from "./api-types.ts"
import { routeQuery } from "./route-query.ts"

export type { PromptListItem, PromptWithAccess }
export type PromptToInsert = Pick<PromptWithAccess, "title" | "content">

interface PromptListParams extends QueryFor<"/api/v1/prompts"> {
  page?: number
}

/** One page of the prompts that the user may use. */
export const promptsQuery = ({ page = 1, ...query }: PromptListParams) =>
  queryOptions({
    queryKey: ["prompts", "list", { page, ...query }],
    queryFn: ({ signal }) => api.getPage("/api/v1/prompts", { query: { page, ...query }, signal }),
    placeholderData: keepPreviousData,
  })

export const promptQuery = (id: string) =>
  routeQuery(["prompts", "one", id], "/api/v1/prompts/:id", { params: { id } })

export const promptApi = {
  create: (body: NewPrompt) => api.post("/api/v1/prompts/create", { body }),
  update: (id: string, changes: PromptChanges) =>
    api.post("/api/v1/prompts/:id/update", { params: { id }, body: changes }),
  transfer: (id: string, to: string) =>
    api.post("/api/v1/prompts/:id/transfer", { params: { id }, body: { transfer_to: to } }),
  remove: (id: string) => api.delete("/api/v1/prompts/:id/delete", { params: { id } }),
}

/** The user's instructions for all of their chats. */
export const instructionsQuery = routeQuery(["instructions"], "/api/v1/auths/instructions")

export const instructionsApi = {
  update: (body: PersonalInstructions) => api.post("/api/v1/auths/update/instructions", { body }),
}
