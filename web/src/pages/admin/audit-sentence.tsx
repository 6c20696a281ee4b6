import { Fragment, type ReactNode } from "react"
import type { AuditEvent } from "../../../../server/src/audit/schema.ts"
import { isMessageKey, type MessageKey, t } from "../../i18n/translate.ts"
import { describeLimit } from "../limits/limit-text.ts"
import { metrics, windows } from "../limits/limit-values.ts"

const actorLabels: Record<string, MessageKey> = {
  user: "label.user",
  key: "label.apiKey",
  scim: "actor.scim",
  system: "actor.system",
  anonymous: "actor.anonymous",
}

/** Display name of the actor. */
export const actorName = (event: AuditEvent): string => {
  const { actor_type, actor_name, actor_display_name, actor_id } = event
  const kind = actorLabels[actor_type]
  const named = actor_type === "user" || actor_type === "key"
  if (named) return actor_display_name ?? actor_name ?? actor_id ?? t("label.user")
  return kind ? t(kind) : actor_type
}

/** A limit has no name; what it allowed says more than its id. */
const limitName = ({ target_type, before, after }: AuditEvent): string | undefined => {
  if (target_type !== "limit") return undefined
  const { amount, ...values } = { ...before, ...after }
  const metric = metrics.find((one) => one === values.metric)
  const window = windows.find((one) => one === values.window)
  if (!metric || !window || typeof amount !== "number") return undefined
  return describeLimit({ metric, window, amount })
}

export const targetName = (event: AuditEvent): string =>
  event.target_name ?? limitName(event) ?? event.target_id ?? event.target_type ?? ""

/** A line of the audit log: an event, and the upload that it completes, if any. */
export interface AuditLine {
  event: AuditEvent
  /** The event of a file that this event put into a collection. */
  upload?: AuditEvent
}

const accessKeyOf = ({
  change,
  principal_id,
  principal_name,
}: NonNullable<AuditEvent["access_change"]>): MessageKey => {
  if (change === "changed") return "event.accessChanged"
  const granted = change === "granted"
  if (principal_id === "*") return granted ? "event.grantedToAll" : "event.revokedFromAll"
  if (principal_name === null) return "event.accessChanged"
  return granted ? "event.granted" : "event.revoked"
}

const messageKeyOf = ({ event, upload }: AuditLine): MessageKey => {
  const { action, target_id, target_name, access_change } = event
  if (upload) return "event.uploadedTo"
  if (access_change) return accessKeyOf(access_change)
  if (action === "auth.failed" && target_id === null) return "event.credentialsRejected"
  // The log does not name a chat that only its owner could read.
  if (action === "chat.deleted" && target_name === null) return "event.privateChatDeleted"
  const key = `event.${action}`
  return isMessageKey(key) ? key : "event.other"
}

const partsOf = ({ event, upload }: AuditLine): Record<string, string> => ({
  "{actor}": actorName(event),
  "{target}": targetName(event),
  "{file}": upload ? targetName(upload) : "",
  "{principal}": event.access_change?.principal_name ?? "",
  "{action}": event.action,
})

const splitMessage = (line: AuditLine): string[] => t(messageKeyOf(line)).split(/(\{\w+\})/)

/** What happened, as a sentence: "Ada shared How did the revenue develop?". */
export const auditSentence = (line: AuditLine): string => {
  const parts = partsOf(line)
  return splitMessage(line)
    .map((text) => parts[text] ?? text)
    .join("")
    .trim()
}

/** The same sentence with the names emphasized. */
export const AuditSentence = ({ line }: { line: AuditLine }): ReactNode => {
  const parts = partsOf(line)
  return splitMessage(line).map((text, index) => {
    const key = `${index}`
    const value = parts[text]
    if (value === undefined || text === "{action}")
      return <Fragment key={key}>{value ?? text}</Fragment>
    return text === "{actor}" ? <Fragment key={key}>{value}</Fragment> : <em key={key}>{value}</em>
  })
}
