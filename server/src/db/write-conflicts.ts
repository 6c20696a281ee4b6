/** SQLSTATE: unique and foreign key violations, serialization failure, deadlock, lock timeout. */
const postgresCodes = new Set(["23503", "23505", "40001", "40P01", "55P03"])
/** SQLITE_CONSTRAINT_FOREIGNKEY, _PRIMARYKEY, _UNIQUE. */
const sqliteCodes = new Set([787, 1555, 2067])
const uniqueCodes = new Set<unknown>(["23505", 1555, 2067])

/** The database's error code: SQLSTATE, or SQLite's extended result code. */
export const databaseErrorCode = (error: unknown): unknown => {
  if (!(error instanceof Error)) return undefined
  if ("errcode" in error) return error.errcode
  return "code" in error ? error.code : undefined
}

/** True if a transaction conflicts with one that has just committed. */
export const isWriteConflict = (error: unknown): boolean => {
  const code = databaseErrorCode(error)
  if (typeof code === "number") return sqliteCodes.has(code)
  return typeof code === "string" && postgresCodes.has(code)
}

/** True if a unique value was taken concurrently. */
const isUniqueViolation = (error: unknown): boolean => uniqueCodes.has(databaseErrorCode(error))

/**
 * Runs `write`.
 * @returns false if it violates a unique constraint; `tx` can then only be rolled back
 */
export const tryUniqueWrite = async (write: () => Promise<unknown>): Promise<boolean> => {
  try {
    await write()
    return true
  } catch (error) {
    if (isUniqueViolation(error)) return false
    throw error
  }
}
