import { stat } from "node:fs/promises"

/** Size in bytes; 0 if there is no such file, or if it cannot be read. */
export const sizeOfFile = async (path: string): Promise<number> =>
  (await stat(path).catch(() => undefined))?.size ?? 0
