import { existsSync } from "node:fs"
import { join } from "node:path"

const folder = join(import.meta.dirname, "programs")

/** A file in the folder of the programs that `server/test/clients/programs` installs. */
export const programPath = (path: string): string => join(folder, path)

/** What has to be installed before a program can run; null if nothing. */
export const findMissingPackage = async (name: string): Promise<string | null> =>
  existsSync(programPath(`node_modules/${name}/package.json`))
    ? null
    : "run npm ci --prefix server/test/clients/programs"
