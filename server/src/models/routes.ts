import { z } from "zod"
import { hasGrants } from "../grants/schema.ts"
import type { AuthenticatedCredential } from "../http/caller.ts"
import { DeletionConfirmation, InUseError } from "../http/in-use.ts"
import { Page } from "../http/pagination.ts"
import { json, route, success } from "../http/route.ts"
import { TransferRequest } from "../ownership/schema.ts"
import {
  ModelChanges,
  ModelExport,
  ModelImport,
  ModelImportResult,
  ModelListItem,
  ModelListQuery,
  ModelWithOwner,
  NewModel,
  WorkspaceModel,
} from "./schema.ts"

const ModelIdQuery = z.object({ id: z.string().min(1) })
const notFound = { description: "Model not found, or you do not have access to it" }
const notWritable = { description: "You do not have permission to change this model" }

/** A key with a list of allowed models must not change what the models on that list refer to. */
const changesAllowedModels = (_body: unknown, { limits }: AuthenticatedCredential): boolean =>
  limits.allowed_models !== null

const givesAuthority = (
  body: z.output<typeof ModelChanges>,
  credential: AuthenticatedCredential,
): boolean => hasGrants(body) || changesAllowedModels(body, credential)

export const modelRoutes = {
  list: route("get", "/api/v1/models/list", {
    access: "user",
    summary: "List the workspace models that you can access, without their parameters",
    query: ModelListQuery,
    responses: {
      200: json(Page(ModelListItem), "One page of models; `query` matches the id or the name"),
    },
  }),
  create: route("post", "/api/v1/models/create", {
    access: "user",
    grantsPrivileges: givesAuthority,
    summary: "Create a model; unless shared, it is private to its creator",
    body: NewModel,
    responses: {
      200: json(WorkspaceModel, "The new model"),
      409: { description: "The id is taken, or the model limit is reached" },
    },
  }),
  get: route("get", "/api/v1/models/model", {
    access: "user",
    summary: "Get a model",
    query: ModelIdQuery,
    responses: { 200: json(ModelWithOwner, "The model"), 404: notFound },
  }),
  update: route("post", "/api/v1/models/model/update", {
    access: "user",
    grantsPrivileges: givesAuthority,
    summary: "Update a model; omitted fields keep their values",
    query: ModelIdQuery,
    body: ModelChanges,
    responses: {
      200: json(WorkspaceModel, "The updated model"),
      403: notWritable,
      404: notFound,
    },
  }),
  toggle: route("post", "/api/v1/models/model/toggle", {
    access: "user",
    grantsPrivileges: changesAllowedModels,
    summary: "Activate or deactivate a model",
    query: ModelIdQuery,
    responses: {
      200: json(WorkspaceModel, "The updated model"),
      403: notWritable,
      404: notFound,
    },
  }),
  remove: route("post", "/api/v1/models/model/delete", {
    access: "user",
    grantsPrivileges: changesAllowedModels,
    summary: "Delete a model",
    body: ModelIdQuery.extend(DeletionConfirmation.shape),
    responses: {
      200: success("The model was deleted"),
      403: notWritable,
      404: notFound,
      409: json(InUseError, "Something depends on the model, and the deletion was not confirmed"),
    },
  }),
  transfer: route("post", "/api/v1/models/model/transfer", {
    access: "user",
    grantsPrivileges: true,
    summary: "Hand a model over to another owner, whose access it then uses",
    query: ModelIdQuery,
    body: TransferRequest,
    responses: {
      200: success("The model was handed over"),
      403: { description: "Only the owner and administrators can do this" },
      404: notFound,
      409: { description: "The new owner has reached a limit, or cannot use the base model" },
    },
  }),
  exportAll: route("get", "/api/v1/models/export", {
    access: "admin",
    summary: "Export all models in the import format",
    responses: { 200: json(ModelExport, "The models") },
  }),
  importAll: route("post", "/api/v1/models/import", {
    access: "admin",
    grantsPrivileges: ({ models }, credential) =>
      models.some((model) => givesAuthority(model, credential)),
    summary:
      "Import models: creates or replaces all of them or none. Only the overall limits apply",
    body: ModelImport,
    bodyLimits: { maxBytes: 20_000_000 },
    responses: {
      200: json(ModelImportResult, "The ids of the created and the replaced models"),
      409: { description: "The model limit is reached" },
    },
  }),
}
