import { z } from "zod"
import { hasGrants } from "../grants/schema.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { TransferRequest } from "../ownership/schema.ts"
import {
  NewPrompt,
  PromptChanges,
  PromptListItem,
  PromptListQuery,
  PromptWithAccess,
} from "./schema.ts"

const notFound = { description: "Prompt not found, or you do not have access to it" }
const taken = { description: "The owner has another prompt with this command" }
const ownerOnly = { description: "Only the owner and administrators can do this" }

/** The routes under `/api/v1/prompts`. */
export const promptRoutes = {
  list: route("get", "/api/v1/prompts", {
    access: "user",
    summary: "List the prompts that you can use: one page, or an array without `page`",
    query: PromptListQuery,
    responses: {
      200: json(
        z.union([Page(PromptListItem), z.array(PromptListItem)]),
        "One page of prompts; without `page`, an array of the first 200",
      ),
    },
  }),
  create: route("post", "/api/v1/prompts/create", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Create a prompt",
    body: NewPrompt,
    responses: { 200: json(PromptWithAccess, "The new prompt"), 409: taken },
  }),
  get: route("get", "/api/v1/prompts/:id", {
    access: "user",
    summary: "Get a prompt",
    params: IdParams,
    responses: { 200: json(PromptWithAccess, "The prompt"), 404: notFound },
  }),
  update: route("post", "/api/v1/prompts/:id/update", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Update a prompt; only its owner and administrators can change access_grants",
    params: IdParams,
    body: PromptChanges,
    responses: {
      200: json(PromptWithAccess, "The updated prompt"),
      403: ownerOnly,
      404: notFound,
      409: taken,
    },
  }),
  remove: route("delete", "/api/v1/prompts/:id/delete", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a prompt; owner and administrators only",
    params: IdParams,
    responses: {
      200: success("The prompt was deleted"),
      403: ownerOnly,
      404: notFound,
    },
  }),
  transfer: route("post", "/api/v1/prompts/:id/transfer", {
    access: "user",
    grantsPrivileges: true,
    summary: "Hand a prompt over to another owner",
    params: IdParams,
    body: TransferRequest,
    responses: {
      200: success("The prompt was handed over"),
      403: ownerOnly,
      404: notFound,
      409: { description: "The new owner has reached a limit" },
    },
  }),
}
