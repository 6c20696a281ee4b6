import { z } from "zod"
import { hasGrants } from "../grants/schema.ts"
import { IdParams, Page } from "../http/pagination.ts"
import { json, success } from "../http/route.ts"
import type { Router } from "../http/router.ts"
import { TransferRequest } from "../ownership/schema.ts"
import type { Prompts } from "./prompts.ts"
import {
  NewPrompt,
  PromptChanges,
  PromptListItem,
  PromptListQuery,
  PromptWithAccess,
} from "./schema.ts"
import type { PromptTransfer } from "./transfer.ts"

const notFound = { description: "Prompt not found, or you do not have access to it" }
const taken = { description: "The owner has another prompt with this command" }
const ownerOnly = { description: "Only the owner and administrators can do this" }

interface Deps {
  router: Router
  prompts: Prompts
  promptTransfer: PromptTransfer
}

/** The routes under `/api/v1/prompts`. */
export const promptRoutes = ({ router, prompts, promptTransfer }: Deps): Router => {
  router.on("get", "/", {
    access: "user",
    summary: "List the prompts that you can use: one page, or an array without `page`",
    query: PromptListQuery,
    responses: {
      200: json(
        z.union([Page(PromptListItem), z.array(PromptListItem)]),
        "One page of prompts; without `page`, an array of the first 200",
      ),
    },
    handle: ({ caller, query }) => prompts.list(caller, query),
  })
  router.on("post", "/create", {
    access: "user",
    grantsPrivileges: hasGrants,
    summary: "Create a prompt",
    body: NewPrompt,
    responses: { 200: json(PromptWithAccess, "The new prompt"), 409: taken },
    handle: ({ caller, actor, body }) => prompts.create(actor, caller, body),
  })
  router.on("get", "/:id", {
    access: "user",
    summary: "Get a prompt",
    params: IdParams,
    responses: { 200: json(PromptWithAccess, "The prompt"), 404: notFound },
    handle: ({ caller, params }) => prompts.get(caller, params.id),
  })
  router.on("post", "/:id/update", {
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
    handle: ({ caller, actor, params, body }) =>
      prompts.update(actor, caller, { id: params.id, changes: body }),
  })
  router.on("delete", "/:id/delete", {
    access: "user",
    grantsPrivileges: false,
    summary: "Delete a prompt; owner and administrators only",
    params: IdParams,
    responses: {
      200: success("The prompt was deleted"),
      403: ownerOnly,
      404: notFound,
    },
    handle: ({ caller, actor, params }) => prompts.remove(actor, caller, params.id),
  })
  router.on("post", "/:id/transfer", {
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
    handle: ({ caller, actor, params, body }) =>
      promptTransfer.transfer(actor, caller, { ...params, ...body }),
  })
  return router
}
