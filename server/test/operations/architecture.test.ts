import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"

const root = join(import.meta.dirname, "../../..")
const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

describe("the order of imports", () => {
  let copy = ""

  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), "portico-house-"))
    for (const file of ["biome.json", "biome.order.json", ".gitignore"]) {
      copyFileSync(join(root, file), join(copy, file))
    }
  })
  afterEach(() => rmSync(copy, { recursive: true, force: true }))

  /** Biome's output for one file, or "" if it has no complaints. */
  const lint = async (path: string, code: string, folder = "server/src"): Promise<string> => {
    const file = join(copy, folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
    const run = promisify(execFile)(process.execPath, [biome, "lint", file], { cwd: copy })
    const LintOutput = z.object({ stdout: z.string(), stderr: z.string() })
    return run.then(
      () => "",
      (error: unknown) => {
        const { stdout, stderr } = LintOutput.parse(error)
        return stdout + stderr
      },
    )
  }
  const importCode = (from: string): string => `import { thing } from "${from}"\n\nthing()\n`

  it.each([
    ["errors.ts", "./config/config.ts"],
    ["config/planted.ts", "../db/database.ts"],
    ["db/planted.ts", "../secrets/secrets.ts"],
    ["db/migrations/planted.ts", "../../http/route.ts"],
    ["http/planted.ts", "../auth/keys.ts"],
    ["users/planted.ts", "../groups/groups.ts"],
    ["connections/planted.ts", "../usage/create-usage.ts"],
    ["models/planted.ts", "../completions/completions.ts"],
    ["completions/planted.ts", "../gateway.ts"],
    ["native-proxy/planted.ts", "../unheard-of/thing.ts"],
    ["scim/planted.ts", "../../test/fakes/openai.ts"],
  ])("%s may not import %s", async (path, from) => {
    const output = await lint(path, importCode(from))
    expect(output).toContain("lint/style/noRestrictedImports")
    expect(output).toContain("may import only")
  })

  it.each([
    ["src/planted.ts", "../../../server/src/errors.ts"],
    ["src/planted.ts", "@portico/server"],
    ["src/planted.test.ts", "../../../server/test/harness/random.ts"],
    ["bench/planted.ts", "../../../server/bench/measure/median.ts"],
  ])("%s of a package may not import %s", async (path, from) => {
    const output = await lint(path, importCode(from), "packages/search")
    expect(output).toContain("Packages must not import")
  })

  it.each([
    ["src/planted.ts", "./bm25.ts"],
    ["bench/planted.ts", "../src/bm25.ts"],
  ])("%s of a package may import %s", async (path, from) => {
    expect(await lint(path, importCode(from), "packages/search")).toBe("")
  })

  it("covers type imports, re-exports and import() too", async () => {
    const output = await lint(
      "users/planted.ts",
      `import type { Chat } from "../completions/completions.ts"
export { thing } from "../models/models.ts"
export const later = async (): Promise<Chat> => (await import("../gateway.ts")).chat
`,
    )
    expect(output.match(/noRestrictedImports/g)).toHaveLength(3)
  })

  it.each([
    ["config/planted.ts", "../errors.ts"],
    ["db/migrations/planted.ts", "../text-matching.ts"],
    ["users/planted.ts", "../db/database.ts"],
    ["users/planted.ts", "./store.ts"],
    ["grants/planted.ts", "../groups/groups.ts"],
    ["native-proxy/planted.ts", "../completions/completions.ts"],
    ["users/planted.test.ts", "../gateway.ts"],
    ["gateway.ts", "./native-proxy/native-proxy.ts"],
    ["knowledge/planted.ts", "@portico/search"],
  ])("%s may import %s", async (path, from) => {
    expect(await lint(path, importCode(from))).toBe("")
  })

  it("rejects import cycles", async () => {
    await lint("users/first.ts", importCode("./second.ts"))
    expect(await lint("users/second.ts", importCode("./first.ts"))).toContain("noImportCycles")
  })

  it("allows config.ts only to read the environment", async () => {
    const code = "export const port = process.env.PORT\n"
    expect(await lint("config/config.ts", code)).toBe("")
    expect(await lint("users/planted.ts", code)).toContain("noProcessEnv")
  })

  it("covers every folder", () => {
    const folders = readdirSync(join(root, "server/src"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    const order = read("biome.order.json")
    expect(folders.filter((folder) => !order.includes(`"${folder}/*.ts"`))).toEqual([])
  })
})

describe("dependencies", () => {
  const Entry = z.object({
    resolved: z.string().optional(),
    hasInstallScript: z.boolean().optional(),
    optionalDependencies: z.record(z.string(), z.string()).optional(),
  })
  const LockFile = z.object({ packages: z.record(z.string(), Entry) })
  const { packages } = LockFile.parse(JSON.parse(read("package-lock.json")))
  const entries = Object.entries(packages)

  it("need no install scripts", () => {
    const withInstallScript = entries
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([path]) => path)
    // Its script only fetches GPU libraries, and is not run (docs/decisions/0022).
    expect(withInstallScript).toEqual(["node_modules/onnxruntime-node"])
    expect(read(".npmrc")).toContain("ignore-scripts=true")
  })

  it.each(["package-lock.json", "server/test/clients/programs/package-lock.json"])(
    "are locked without a registry URL in %s",
    (path) => {
      const locked = Object.values(LockFile.parse(JSON.parse(read(path))).packages)
      expect(locked.length).toBeGreaterThan(10)
      expect(locked.filter(({ resolved }) => resolved?.includes("://"))).toEqual([])
    },
  )

  // `npm ci` rejects a lock file without them, on every platform.
  it("are locked for every platform", () => {
    // Replaced by an empty package in package.json: only needed to draw outside of a browser.
    const replaced = ["@napi-rs/canvas"]
    const missing = entries.flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    )
    expect(missing).toEqual(replaced)
  })
})
