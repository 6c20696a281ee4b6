const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EHOSTUNREACH",
  "EAI_AGAIN",
])

/** SQLSTATE classes 08 connection exception, 53 insufficient resources, 57P0x operator intervention. */
const stateOfOutage = /^(08|53|57P0)/
const poolMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|database is locked|disk is full|readonly database/i

/** True when `error` says that the database cannot be reached, not that a query was wrong. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isOutage)
  if (!(error instanceof Error)) return false
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  return networkCodes.has(code) || stateOfOutage.test(code) || poolMessages.test(error.message)
}
