import { isObject, parseObject, textOf } from "../formats/json-values.ts"

/** What a connection cannot serve: nothing, as its credential was rejected, or one model. */
export type ConnectionFault = "connection" | "model"

const credentialStatuses = new Set([401, 402])
const ambiguousStatuses = new Set([400, 403, 404])

const missing =
  /not found|not exist|no endpoints|doesn't exist|no such|no longer|unknown|unavailable|invalid|not a valid|unsupported/i
const rejectedContent = /moderation|flagged|content[ _-]?(policy|filter)|safety|guardrail|harmful/i
const missingModelCodes = new Set(["model_not_found", "model_not_exist", "invalid_model"])

export const isCredentialStatus = (status: number): boolean => credentialStatuses.has(status)

/** Whether the status may be the fault of the connection rather than of the request. */
export const mayBeConnectionFault = (status: number): boolean =>
  isCredentialStatus(status) || ambiguousStatuses.has(status)

interface RejectionText {
  message: string
  code: unknown
  /** The parameter that the provider objects to. */
  param: unknown
}

const readRejection = (body: string): RejectionText => {
  const fields = parseObject(body) ?? {}
  const error = isObject(fields.error) ? fields.error : fields
  const message = textOf(error.message) || textOf(fields.error) || textOf(fields.detail)
  return { message, code: error.code, param: error.param }
}

const isAboutModel = ({ message, code, param }: RejectionText, model: string): boolean => {
  if (typeof code === "string" && missingModelCodes.has(code)) return true
  // Errors about other things that were not found may quote the caller.
  if (typeof param === "string" && param !== "" && param !== "model") return false
  if (message.trim() === `model: ${model}`) return true
  return /\bmodel\b|no endpoints/i.test(message) && missing.test(message)
}

/**
 * Whether another connection of the model could do better, from the body of an error. Null if the
 * request itself is at fault: it would be refused anywhere.
 */
export const findConnectionFault = (
  { status, body }: { status: number; body: string },
  model: string | null,
): ConnectionFault | null => {
  if (isCredentialStatus(status)) return "connection"
  if (!ambiguousStatuses.has(status) || model === null) return null
  if (status === 403) return rejectedContent.test(body) ? null : "model"
  return isAboutModel(readRejection(body), model) ? "model" : null
}
