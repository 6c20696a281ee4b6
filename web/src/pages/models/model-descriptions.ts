import type { ConnectionView } from "../../../../server/src/connections/schema.ts"
import type { AccessGrant } from "../../../../server/src/grants/schema.ts"
import type {
  ModelListItem,
  ModelRecord,
  ModelSummary,
} from "../../../../server/src/models/schema.ts"
import { type MessageKey, t } from "../../i18n/translate.ts"
import type { CurrentUser } from "../../lib/session.ts"
import { ownerName } from "../ownership/owner-name.ts"

/** A row of the model list: the model from the API and the workspace entry, if any. */
export interface ListedModel {
  id: string
  name: string
  record: ModelRecord | undefined
  workspace: WorkspaceEntry | undefined
}

/** Entries of the list carry some of their grants and the count; a single model carries all. */
type WorkspaceEntry = ModelSummary &
  Partial<Pick<ModelListItem, "grant_count" | "writable" | "user_name">>

/** The name of a workspace model's owner. */
export const modelOwner = ({ user_name = null }: WorkspaceEntry): string => ownerName({ user_name })

/**
 * Merges both lists. Workspace models that are disabled or lack their base model are only in the
 * second.
 */
export const mergeModels = (
  records: readonly ModelRecord[],
  workspace: readonly WorkspaceEntry[],
): ListedModel[] => {
  const workspaceById = new Map(workspace.map((model) => [model.id, model]))
  const listed = records.map((record) => {
    const own = workspaceById.get(record.id)
    workspaceById.delete(record.id)
    return { id: record.id, name: record.name, record, workspace: own }
  })
  const rest = [...workspaceById.values()].map((own) => ({
    id: own.id,
    name: own.name,
    record: undefined,
    workspace: own,
  }))
  return [...listed, ...rest].sort((a, b) => a.name.localeCompare(b.name))
}

const capabilityKeys: Record<string, MessageKey> = {
  vision: "can.vision",
  tools: "can.tools",
  thinking: "can.thinking",
  embedding: "can.embedding",
  audio: "can.audio",
  insert: "can.insert",
}

/** Labels of the model's capabilities other than text. */
export const capabilityNames = (record: ModelRecord | undefined): string[] =>
  Object.entries(record?.capabilities ?? {})
    .filter(([name, can]) => can && name !== "completion")
    .map(([name]) => {
      const key = capabilityKeys[name]
      return key ? t(key) : name
    })

export const availabilityOf = ({ record, workspace }: ListedModel): "ready" | "away" | "off" => {
  if (workspace && !workspace.is_active) return "off"
  return record?.available ? "ready" : "away"
}

export const describeSource = ({ record, workspace }: ListedModel): string => {
  if (workspace) return t("models.basedOn", { base: workspace.base_model_id })
  if (record?.connection_type === "function") return t("objects.type.function")
  const names = record?.connections.map(({ name }) => name) ?? []
  return names.length > 0 ? names.join(", ") : (record?.owned_by ?? "")
}

/** Combined grants of the connections that offer a model; `null` grants access to everyone. */
const connectionGrants = (record: ModelRecord, connections: readonly ConnectionView[]) => {
  const ids = new Set(record.connections.map(({ id }) => id))
  const grants = connections.filter(({ id }) => ids.has(id)).map((one) => one.access_grants)
  return grants.includes(null) ? null : grants.flatMap((some) => some ?? [])
}

/** @param grantCount total number of grants if `grants` is only the first part */
const countPrincipals = (grants: readonly AccessGrant[], grantCount = 0): number => {
  if (grantCount > grants.length) return grantCount
  return new Set(grants.map((grant) => `${grant.principal_type} ${grant.principal_id}`)).size
}

/**
 * @param connections undefined if the user may not see them; then access to connections' models is
 * not described
 */
export const describeAccess = (
  { record, workspace }: ListedModel,
  connections: readonly ConnectionView[] | undefined,
): string => {
  if (record?.connection_type === "function") return t("models.byFunction")
  if (!workspace && !(record && connections)) return ""
  const grants = workspace
    ? workspace.access_grants
    : record && connectionGrants(record, connections ?? [])
  if (!grants || grants.some(({ principal_id }) => principal_id === "*")) {
    return t("grants.everyone")
  }
  const nobody = workspace ? "label.private" : "models.adminsOnly"
  const count = countPrincipals(grants, workspace?.grant_count)
  return count === 0 ? t(nobody) : t("label.sharedWith", { count })
}

/** Whether to offer editing. Group membership may be unknown here; the gateway enforces access. */
export const mayWrite = (me: CurrentUser, model: WorkspaceEntry): boolean =>
  model.writable ??
  (me.role === "admin" ||
    model.user_id === me.id ||
    model.access_grants.some(
      ({ permission, principal_type, principal_id }) =>
        permission === "write" &&
        (principal_type === "group" || principal_id === me.id || principal_id === "*"),
    ))
