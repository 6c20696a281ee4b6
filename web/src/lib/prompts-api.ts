import { keepPreviousData, queryOptions } from "@tanstack/react-query"
import type { Page } from "../../../server/src/http/pagination.ts"
import type {
  NewPrompt,
  PersonalInstructions,
  PromptChanges,
  PromptListItem,
  PromptWithAccess,
} from "../../../server/src/prompts/schema.ts"
import { api, type QueryParams } from "./api.ts"

export type { PromptListItem, PromptWithAccess }
export type PromptToInsert = Pick<PromptWithAccess, "title" | "content">

const prompts = "/api/v1/prompts"
const promptPath = (id: string): string => `${prompts}/${encodeURIComponent(id)}`

/** One page of the prompts that the user may use. */
export const promptsQuery = ({ page = 1, ...query }: QueryParams) =>
  queryOptions({
    queryKey: ["prompts", "list", { page, ...query }],
    queryFn: ({ signal }) =>
      api.get<Page<PromptListItem>>(`${prompts}/`, { query: { page, ...query }, signal }),
    placeholderData: keepPreviousData,
  })

export const promptQuery = (id: string) =>
  queryOptions({
    queryKey: ["prompts", "one", id],
    queryFn: ({ signal }) => api.get<PromptWithAccess>(promptPath(id), { signal }),
  })

export const promptApi = {
  create: (body: NewPrompt) => api.post<PromptWithAccess>(`${prompts}/create`, body),
  update: (id: string, changes: PromptChanges) =>
    api.post<PromptWithAccess>(`${promptPath(id)}/update`, changes),
  transferPath: (id: string): string => `${promptPath(id)}/transfer`,
  remove: (id: string) => api.delete(`${promptPath(id)}/delete`),
}

/** The user's instructions for all of their chats. */
export const instructionsQuery = queryOptions({
  queryKey: ["instructions"],
  queryFn: ({ signal }) => api.get<PersonalInstructions>("/api/v1/auths/instructions", { signal }),
})

export const instructionsApi = {
  update: (body: PersonalInstructions) =>
    api.post<PersonalInstructions>("/api/v1/auths/update/instructions", body),
}
