import { hash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"

/** Where the model's files are in the repository and in the Docker image. */
export const builtInModelFolder = join(import.meta.dirname, "../../../../vendor/all-minilm-l6-v2")

/** SHA-256 by file name. */
const checksums = {
  "model.onnx": "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
  "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
} as const

/** @throws if the file is missing or does not belong to this version */
export const readModelFile = async (
  folder: string,
  name: keyof typeof checksums,
): Promise<Buffer> => {
  const path = join(folder, name)
  const bytes = await readFile(path)
  const checksum = hash("sha256", bytes)
  if (checksum === checksums[name]) return bytes
  throw new Error(
    `${path} is damaged: its SHA-256 is ${checksum}, not ${checksums[name]}. Restore the file.`,
  )
}
