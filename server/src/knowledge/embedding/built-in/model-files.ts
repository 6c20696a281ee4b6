import { join } from "node:path"
import { hashFile } from "../../../files/object-store.ts"
import type { ModelFile } from "./model-descriptions.ts"

/**
 * The path of a model's file.
 * @throws if the file is missing, or is not the published one
 */
export const verifyModelFile = async (
  folder: string,
  { name, sha256 }: ModelFile,
): Promise<string> => {
  const path = join(folder, name)
  const { hash: checksum } = await hashFile(path)
  if (checksum === sha256) return path
  throw new Error(
    `${path} is damaged: its SHA-256 is ${checksum}, not ${sha256}. Restore the file.`,
  )
}
