import { queryOptions } from "@tanstack/react-query"
import type {
  NewProject,
  Project,
  ProjectChanges,
} from "../../../server/src/conversations/project-schema.ts"
import { api } from "./api.ts"
import { queryClient } from "./query-client.ts"

export type { Project }

const base = "/api/v1/folders"

/** The user's projects, in alphabetical order. */
export const projectsQuery = queryOptions({
  queryKey: ["chats", "projects"],
  queryFn: ({ signal }) => api.get<Project[]>(`${base}/`, { signal }),
})

/** Projects and the chats in them may have changed together. */
const refresh = async <T>(request: Promise<T>): Promise<T> => {
  const result = await request
  await queryClient.invalidateQueries({ queryKey: ["chats"] })
  return result
}

export const projectApi = {
  create: (project: NewProject) => refresh(api.post<Project>(`${base}/`, project)),
  update: (id: string, changes: ProjectChanges) =>
    refresh(api.post<Project>(`${base}/${encodeURIComponent(id)}/update`, changes)),
  remove: (id: string) => refresh(api.delete(`${base}/${encodeURIComponent(id)}`)),
}
