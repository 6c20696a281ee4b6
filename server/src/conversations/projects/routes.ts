import { IdParams } from "../../http/pagination.ts"
import { json, route, success } from "../../http/route.ts"
import { NewProject, Project, ProjectChanges, ProjectList, ProjectListQuery } from "./schema.ts"

const notFound = { description: "Project not found, or it is not yours" }
const taken = { description: "You have another project of that name" }

/** The routes for projects: the folders of a user's chats. */
export const projectRoutes = {
  list: route("get", "/api/v1/folders", {
    access: "user",
    summary: "List your projects: an array, or one page of it with `page`",
    query: ProjectListQuery,
    responses: { 200: json(ProjectList, "Your projects, in alphabetical order") },
  }),
  create: route("post", "/api/v1/folders", {
    access: "user",
    grantsPrivileges: false,
    summary: "Create a project",
    body: NewProject,
    responses: { 200: json(Project, "The new project"), 409: taken },
  }),
  get: route("get", "/api/v1/folders/:id", {
    access: "user",
    summary: "Get a project",
    params: IdParams,
    responses: { 200: json(Project, "The project"), 404: notFound },
  }),
  update: route("post", "/api/v1/folders/:id/update", {
    access: "user",
    grantsPrivileges: false,
    summary: "Update a project: name, instructions, model, files",
    params: IdParams,
    body: ProjectChanges,
    responses: { 200: json(Project, "The updated project"), 404: notFound, 409: taken },
  }),
  remove: route("delete", "/api/v1/folders/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a project, but not its chats",
    params: IdParams,
    responses: { 200: success("The project was deleted"), 404: notFound },
  }),
}
