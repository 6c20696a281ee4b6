import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { root } from "./launch.mjs"

/** Options of vitest whose value may be the name of a file or folder, such as `--project server`. */
const valueOptions = new Set([
  ...["-c", "--config", "-r", "--root", "--dir", "--outputFile"],
  ...["-t", "--testNamePattern", "--project"],
])

/**
 * Moves files and folders to the front: vitest takes one that follows an option such as `--update`
 * as the option's value, and then runs all tests.
 */
export const withPathsFirst = (args) => {
  const isPath = args.map(
    (arg, at) => !valueOptions.has(args[at - 1]) && arg !== "" && existsSync(resolve(root, arg)),
  )
  return [...args.filter((_, at) => isPath[at]), ...args.filter((_, at) => !isPath[at])]
}
