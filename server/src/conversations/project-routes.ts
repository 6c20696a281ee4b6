import { IdParams } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import {
  NewProject,
  Project,
  ProjectChanges,
  ProjectList,
  ProjectListQuery,
} from "./project-schema.ts"
import type { Projects } from "./projects.ts"

const notFound = { description: "Project not found, or it is not yours" }
const taken = { description: "You have another project of that name" }

/** The routes for projects: the folders of a user's chats. */
export const projectRoutes = (router: Router, projects: Projects): Router => {
  router.on("get", "/", {
    access: "user",
    summary: "List your projects: an array, or one page of it with `page`",
    query: ProjectListQuery,
    responses: { 200: json(ProjectList, "Your projects, in alphabetical order") },
    handle: ({ caller, query }) => projects.list(caller, query),
  })
  router.on("post", "/", {
    access: "user",
    grantsPrivileges: false,
    summary: "Create a project",
    body: NewProject,
    responses: { 200: json(Project, "The new project"), 409: taken },
    handle: ({ actor, caller, body }) => projects.create(actor, caller, body),
  })
  router.on("get", "/:id", {
    access: "user",
    summary: "Get a project",
    params: IdParams,
    responses: { 200: json(Project, "The project"), 404: notFound },
    handle: ({ caller, params }) => projects.get(caller, params.id),
  })
  router.on("post", "/:id/update", {
    access: "user",
    grantsPrivileges: false,
    summary: "Update a project: name, instructions, model, files",
    params: IdParams,
    body: ProjectChanges,
    responses: { 200: json(Project, "The updated project"), 404: notFound, 409: taken },
    handle: ({ actor, caller, params, body }) =>
      projects.update(actor, caller, { id: params.id, changes: body }),
  })
  router.on("delete", "/:id", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a project, but not its chats",
    params: IdParams,
    responses: { 200: success("The project was deleted"), 404: notFound },
    handle: ({ actor, caller, params }) => projects.remove(actor, caller, params.id),
  })
  return router
}
