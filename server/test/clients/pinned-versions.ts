import { readFileSync } from "node:fs"
import { join } from "node:path"
import { z } from "zod"

const read = (path: string): string => readFileSync(join(import.meta.dirname, path), "utf8")

const Versions = z.record(z.string(), z.string())
const Package = z.object({ dependencies: Versions, devDependencies: Versions.optional() })

const versions = new Map(
  ["../../package.json", "programs/package.json"].flatMap((path) => {
    const { dependencies: deps, devDependencies: devDeps = {} } = Package.parse(
      JSON.parse(read(path)),
    )
    return [...Object.entries(deps), ...Object.entries(devDeps)]
  }),
)

/** The version of an npm package that is tested. */
export const findNpmVersion = (name: string): string => versions.get(name) ?? ""

/** The version of a Python package that is tested. */
export const findPythonVersion = (name: string): string =>
  read("requirements.txt")
    .split("\n")
    .find((line) => line.startsWith(`${name}==`))
    ?.slice(name.length + 2) ?? ""
