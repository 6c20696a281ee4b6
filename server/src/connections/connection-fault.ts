import { parseErrorObject, toErrorBody, unwrapError } from "../formats/error-body.ts"
import { textOf } from "../formats/json-values.ts"

/** What a connection cannot serve: nothing, as its account was refused, or one model. */
export type ConnectionFault = "connection" | "model"

const credentialStatuses = new Set([401, 402])
const ambiguousStatuses = new Set([400, 403, 404, 405, 410, 412])

/** Busy and gateway errors, known before the body. Anthropic uses 529 for an overloaded service. */
const retryableStatuses = new Set([429, 502, 503, 504, 529])

/** Whether another connection is worth trying. */
export const isRetryableStatus = (status: number): boolean => retryableStatuses.has(status)

export const isCredentialStatus = (status: number): boolean => credentialStatuses.has(status)

/** Whether the status may be the fault of the connection rather than of the request. */
export const mayBeConnectionFault = (status: number): boolean =>
  isCredentialStatus(status) || ambiguousStatuses.has(status)

interface Rejection {
  /** Empty if the body is not an error of an API, such as a web server's page. */
  message: string
  /** In lower case. */
  code: string
  /** The parameter that the provider objects to. */
  param: string
}

/** Longer messages quote what was sent. */
const maxMessageLength = 500

const readRejection = (body: string): Rejection => {
  const fields = parseErrorObject(body) ?? {}
  const error = unwrapError(fields)
  const param = textOf(error.param)
  return {
    message: (toErrorBody(fields)?.message ?? "").trim().slice(0, maxMessageLength),
    code: textOf(error.code).toLowerCase(),
    param: /^(none|null)$/i.test(param) ? "" : param,
  }
}

/**
 * Texts at the beginning of a message, as what follows may quote the caller. Google and xAI refuse
 * keys with status 400, and Anthropic an account without credit.
 */
const rejectedAccountTexts = [
  /^(?:incorrect|invalid|expired) api[ -]?key/i,
  /^(?:the |your )?api[ -]?key (?:\S+ )?(?:not valid|not found|invalid|expired|disabled|revoked)/i,
  /^(?:your )?credit balance is too low/i,
  /^(?:insufficient|not enough) (?:account )?(?:balance|credits?|funds|quota)/i,
  /^you (?:have )?exceeded your current quota/i,
  /^billing (?:hard limit|is not active)/i,
  /^(?:this |the |your )?(?:account|organization|project)\b.{0,100}\b(?:suspended|disabled|restricted|deactivated)/i,
]
const rejectedAccountCodes = new Set([
  ...["invalid_api_key", "insufficient_quota", "insufficient_balance", "insufficient_credits"],
  ...["billing_hard_limit_reached", "billing_not_active"],
  ...["account_deactivated", "organization_restricted"],
])

const isAboutAccount = ({ message, code }: Rejection): boolean =>
  rejectedAccountCodes.has(code) || rejectedAccountTexts.some((text) => text.test(message))

const missingModelTexts = [
  /\b(?:unknown|invalid|unsupported|no such|missing|not a valid|unable to access) (?:the )?model\b/i,
  /\bno (?:models? loaded|endpoints found)/i,
]
const modelWord = /^\W{0,3}models?\b/i
const missingState =
  /\b(?:not (?:found|exist|supported|available|deployed|loaded)|doesn't exist|no longer|unavailable|unknown|invalid|decommissioned|retired|deprecated)\b/i
/** Words of a name, a verb and a state that may follow "model". */
const maxWordsAfterModel = 5

/** Whether it says that a model, perhaps by its name, is missing: "The model `x` does not exist". */
const saysModelIsMissing = (message: string): boolean => {
  const words = message.split(/\s+/)
  return words.some((word, at) => {
    const following = words.slice(at + 1, at + 1 + maxWordsAfterModel).join(" ")
    return modelWord.test(word) && missingState.test(following)
  })
}

const missingModelCodes = new Set([
  ...["model_not_found", "model_not_exist", "invalid_model", "model_not_supported"],
  ...["model_not_available", "model_decommissioned", "deploymentnotfound"],
])

const isAboutModel = ({ message, code, param }: Rejection, model: string): boolean => {
  if (missingModelCodes.has(code)) return true
  // Errors about other things that were not found may quote the caller.
  if (param !== "" && param !== "model") return false
  if (message === `model: ${model}` || saysModelIsMissing(message)) return true
  return missingModelTexts.some((text) => text.test(message))
}

/** How servers say that they have no such path, in any format. */
const missingPathText = /^(?:(?:404 )?(?:page |file |resource )?not found\.?|invalid url\b.*)$/i

const isMissingPath = (status: number, { message }: Rejection): boolean =>
  status === 405 || (status === 404 && (message === "" || missingPathText.test(message)))

const rejectedContent = /moderation|flagged|content[ _-]?(policy|filter)|safety|guardrail|harmful/i

/**
 * Whether another connection of the model could do better, from the body of an error. Null if the
 * request itself is at fault: it would be refused anywhere.
 */
export const findConnectionFault = (
  { status, body }: { status: number; body: string },
  model: string | null,
): ConnectionFault | null => {
  if (isCredentialStatus(status)) return "connection"
  // Spent credit has the status of a rate limit at some providers.
  if (!(ambiguousStatuses.has(status) || status === 429) || model === null) return null
  if (status === 403) return rejectedContent.test(body) ? null : "model"
  const rejection = readRejection(body)
  if (isAboutAccount(rejection)) return "connection"
  if (status === 429) return null
  const isModelFault = isMissingPath(status, rejection) || isAboutModel(rejection, model)
  return isModelFault || status === 410 ? "model" : null
}
