/**
 * The types of errors by status.
 * @see https://platform.claude.com/docs/en/api/errors
 */
const typeByStatus: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
}

const knownTypes = new Set([...Object.values(typeByStatus), "api_error"])

/** @param code the provider's own; kept if it is one of Anthropic's types */
export const messagesErrorType = (status: number, code = ""): string => {
  if (knownTypes.has(code)) return code
  return typeByStatus[status] ?? (status < 500 ? "invalid_request_error" : "api_error")
}
