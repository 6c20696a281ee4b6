import { queryOptions } from "@tanstack/react-query"
import type {
  NewProject,
  Project,
  ProjectChanges,
} from "../../../server/src/conversations/projects/schema.ts"
import { api } from "./api.ts"
import { queryClient } from "./query-client.ts"

export type { Project }

/** The user's projects, in alphabetical order. */
export const projectsQuery = queryOptions({
  queryKey: ["chats", "projects"],
  queryFn: async ({ signal }): Promise<Project[]> => {
    const projects = await api.get("/api/v1/folders", { signal })
    return Array.isArray(projects) ? projects : projects.items
  },
})

/** Projects and the chats in them may have changed together. */
const refresh = async <T>(request: Promise<T>): Promise<T> => {
  const result = await request
  await queryClient.invalidateQueries({ queryKey: ["chats"] })
  return result
}

export const projectApi = {
  create: (project: NewProject) => refresh(api.post("/api/v1/folders", { body: project })),
  update: (id: string, changes: ProjectChanges) =>
    refresh(api.post("/api/v1/folders/:id/update", { params: { id }, body: changes })),
  remove: (id: string) => refresh(api.delete("/api/v1/folders/:id", { params: { id } })),
}
