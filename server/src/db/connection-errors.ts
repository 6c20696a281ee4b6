import { Failure } from "../errors.ts"
import { codeOf } from "./contention.ts"

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
  /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|database is locked/i

/** SQLSTATE disk_full, and the file system's errors: no space, quota exceeded, file too large. */
const codesOfFull = new Set<unknown>(["53100", "ENOSPC", "EDQUOT", "EFBIG"])
/** SQLSTATE io_error, and the file system's errors. */
const codesOfBroken = new Set<unknown>(["58030", "EROFS", "EIO"])
const sqliteFull = 13
/** SQLITE_IOERR_SHMSIZE: no space for the WAL index. */
const sqliteNoRoomForIndex = 4874
/**
 * SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN. Extended codes carry these in their lowest byte.
 */
const sqliteBroken = new Set([8, 10, 14])
// Errors from another thread keep only their message, and the name "Error". Errors with any other
// name are not matched by message: they may quote a provider.
const fullMessage = /database or disk is full/i
const brokenMessage = /readonly database|disk I\/O error|unable to open database file/i

const says = ({ name, message }: Error, words: RegExp): boolean =>
  name === "Error" && words.test(message)

const isFull = (error: Error, code: unknown): boolean => {
  if (typeof code === "number") return (code & 0xff) === sqliteFull || code === sqliteNoRoomForIndex
  return codesOfFull.has(code) || says(error, fullMessage)
}

const isBroken = (error: Error, code: unknown): boolean => {
  if (typeof code === "number") return sqliteBroken.has(code & 0xff)
  const mayNotWrite = (code === "EACCES" || code === "EPERM") && "path" in error
  return codesOfBroken.has(code) || mayNotWrite || says(error, brokenMessage)
}

/**
 * Why a write to the database or to files failed: no space left, or a failing disk. Null for any
 * other error.
 */
export const storageTrouble = (error: unknown): "full" | "broken" | null => {
  if (!(error instanceof Error)) return null
  // A Failure's message may contain the caller's text, so only its code counts.
  if (error instanceof Failure) return error.code === "storage_full" ? "full" : null
  const code = codeOf(error)
  if (isFull(error, code)) return "full"
  return isBroken(error, code) ? "broken" : null
}

/** True if the database cannot be reached or written, as opposed to a faulty query. */
export const isOutage = (error: unknown): boolean => {
  if (error instanceof AggregateError) return error.errors.some(isOutage)
  if (!(error instanceof Error)) return false
  if (error instanceof Failure) return storageTrouble(error) !== null
  const code = "code" in error && typeof error.code === "string" ? error.code : ""
  if (networkCodes.has(code) || stateOfOutage.test(code)) return true
  return poolMessages.test(error.message) || storageTrouble(error) !== null
}
