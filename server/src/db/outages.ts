import { Failure } from "../errors.ts"
import { databaseErrorCode } from "./write-conflicts.ts"

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
const outageSqlState = /^(08|53|57P0)/
const poolMessages =
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|database is locked/i

/** SQLSTATE disk_full, and the file system's errors: no space, quota exceeded, file too large. */
const fullDiskCodes = new Set<unknown>(["53100", "ENOSPC", "EDQUOT", "EFBIG"])
/** SQLSTATE io_error, and the file system's errors. */
const brokenDiskCodes = new Set<unknown>(["58030", "EROFS", "EIO"])
const sqliteFullCode = 13
/** SQLITE_IOERR_SHMSIZE: no space for the WAL index. */
const sqliteWalIndexFullCode = 4874
/**
 * SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN. Extended codes carry these in their lowest byte.
 */
const sqliteBrokenCodes = new Set([8, 10, 14])
// Errors from another thread keep only their message, and the name "Error". Errors with any other
// name are not matched by message: they may quote a provider.
const fullMessage = /database or disk is full/i
const brokenMessage = /readonly database|disk I\/O error|unable to open database file/i

const hasPlainMessage = ({ name, message }: Error, pattern: RegExp): boolean =>
  name === "Error" && pattern.test(message)

const isDiskFull = (error: Error, code: unknown): boolean => {
  if (typeof code === "number")
    return (code & 0xff) === sqliteFullCode || code === sqliteWalIndexFullCode
  return fullDiskCodes.has(code) || hasPlainMessage(error, fullMessage)
}

const isDiskBroken = (error: Error, code: unknown): boolean => {
  if (typeof code === "number") return sqliteBrokenCodes.has(code & 0xff)
  const isPermissionError = (code === "EACCES" || code === "EPERM") && "path" in error
  return brokenDiskCodes.has(code) || isPermissionError || hasPlainMessage(error, brokenMessage)
}

/**
 * Why a write to the database or to files failed: no space left, or a failing disk. Null for any
 * other error.
 */
export const storageFailureOf = (error: unknown): "full" | "broken" | null => {
  if (!(error instanceof Error)) return null
  // A Failure's message may contain the caller's text, so only its code counts.
  if (error instanceof Failure) return error.code === "storage_full" ? "full" : null
  const code = databaseErrorCode(error)
  if (isDiskFull(error, code)) return "full"
  return isDiskBroken(error, code) ? "broken" : null
}

/** True if the database cannot be reached or written, as opposed to a faulty query. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isOutage)
  if (!(error instanceof Error)) return false
  if (error instanceof Failure) return storageFailureOf(error) !== null
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (networkCodes.has(code) || outageSqlState.test(code)) return true
  return poolMessages.test(error.message) || storageFailureOf(error) !== null
}
