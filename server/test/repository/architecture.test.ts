import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { mkdtemp } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { z } from "zod"

const root = join(import.meta.dirname, "../../..")
const biome = join(root, "node_modules/@biomejs/biome/bin/biome")
const read = (path: string): string => readFileSync(join(root, path), "utf8")

describe("the order of imports", () => {
  let findViolations: (file: string, text: string) => string[]
  beforeAll(async () => {
    ;({ findViolations } = await import(join(root, "scripts/import-order.mjs")))
  })
  const check = (file: string, from: string): string[] =>
    findViolations(file, `import { thing } from "${from}"\n\nthing()\n`)

  it.each([
    ["server/src/errors.ts", "./config/config.ts"],
    ["server/src/config/planted.ts", "../db/database.ts"],
    ["server/src/db/planted.ts", "../secrets/secrets.ts"],
    ["server/src/db/migrations/planted.ts", "../../http/route.ts"],
    ["server/src/http/planted.ts", "../auth/keys.ts"],
    ["server/src/users/planted.ts", "../groups/groups.ts"],
    ["server/src/connections/planted.ts", "../usage/create-usage.ts"],
    ["server/src/models/planted.ts", "../completions/completions.ts"],
    ["server/src/completions/planted.ts", "../gateway.ts"],
    ["server/src/native-proxy/planted.ts", "../unheard-of/thing.ts"],
    ["server/src/scim/planted.ts", "../../test/fakes/openai.ts"],
    ["server/src/knowledge/planted.ts", "../../../packages/search/src/bm25.ts"],
    ["server/src/knowledge/planted.ts", "../../../web/src/lib/format.ts"],
    ["packages/search/src/planted.ts", "../../../server/src/errors.ts"],
    ["packages/search/src/planted.ts", "@portico/server"],
    ["packages/search/src/planted.ts", "../../http1/src/index.ts"],
    ["packages/search/src/planted.test.ts", "../../../server/test/harness/random.ts"],
    ["packages/search/bench/planted.ts", "../../../server/bench/measure/median.ts"],
    ["packages/extract/src/planted.ts", "@portico/search"],
    ["web/src/i18n/planted.ts", "../lib/format.ts"],
    ["web/src/lib/planted.ts", "../ui/button.tsx"],
    ["web/src/ui/planted.tsx", "../pages/grants/access.ts"],
    ["web/src/pages/chat/markdown/planted.tsx", "../../models/list.tsx"],
    ["web/src/pages/admin/planted.tsx", "../start/invite.tsx"],
    ["web/src/pages/chat/planted.tsx", "../../frame/frame.tsx"],
    ["web/src/pages/chat/planted.tsx", "../../../../server/test/harness/random.ts"],
    ["web/src/lib/planted.ts", "../../../packages/sse/src/index.ts"],
    ["web/src/frame/planted.tsx", "../router.tsx"],
  ])("%s may not import %s", (file, from) => {
    expect(check(file, from)).toHaveLength(1)
  })

  it.each([
    ["server/src/config/planted.ts", "../errors.ts"],
    ["server/src/db/migrations/planted.ts", "../text-matching.ts"],
    ["server/src/users/planted.ts", "../db/database.ts"],
    ["server/src/users/planted.ts", "./store.ts"],
    ["server/src/grants/planted.ts", "../groups/groups.ts"],
    ["server/src/native-proxy/planted.ts", "../completions/completions.ts"],
    ["server/src/monitoring/planted.ts", "../../package.json"],
    ["server/src/gateway.ts", "./native-proxy/native-proxy.ts"],
    ["server/src/knowledge/planted.ts", "@portico/search"],
    ["server/src/knowledge/planted.ts", "zod"],
    ["packages/search/src/planted.ts", "./bm25.ts"],
    ["packages/search/bench/planted.ts", "../src/bm25.ts"],
    ["web/src/ui/planted.tsx", "../lib/format.ts"],
    ["web/src/pages/chat/planted.tsx", "./markdown/markdown.tsx"],
    ["web/src/pages/functions/planted.tsx", "../../../../server/src/functions/portico.d.ts?raw"],
    ["web/src/routes/planted.ts", "../pages/start/invite.tsx"],
    ["web/src/lib/planted.ts", "@portico/sse"],
    ["web/src/main.tsx", "./router.tsx"],
  ])("%s may import %s", (file, from) => {
    expect(check(file, from)).toEqual([])
  })

  it("covers types, re-exports and import() too", () => {
    const code = `
import type { Chat } from "../completions/completions.ts"
import { type Model } from "../models/models.ts"
export { thing } from "../models/models.ts"
export type { Thing } from "../models/models.ts"
export * from "../usage/usage.ts"
export const later = async (): Promise<Chat> => (await import("../gateway.ts")).chat
export type Later = import("../gateway.ts").Gateway
export const computed = (name: string) => import(name)
`
    const violations = findViolations("server/src/users/planted.ts", code)
    expect(violations.map((text) => text.split(" ", 1)[0])).toEqual(
      [2, 3, 4, 5, 6, 7, 8].map((line) => `server/src/users/planted.ts:${line}`),
    )
  })

  it("says what to do about a violation", () => {
    expect(check("server/src/users/planted.ts", "../models/models.ts")[0]).toBe(
      'server/src/users/planted.ts:1 may not import ../models/models.ts. In the order, "users" (line ' +
        '"audit · settings · users · groups · storage") precedes "models" (line "models"). Move what both ' +
        "need to a preceding folder, or pass it in as a dependency (scripts/import-order.mjs).",
    )
  })
})

describe("the linter", () => {
  let copy = ""

  beforeEach(async () => {
    copy = await mkdtemp(join(tmpdir(), "portico-lint-"))
    for (const file of ["biome.json", ".gitignore"])
      copyFileSync(join(root, file), join(copy, file))
  })
  afterEach(() => rmSync(copy, { recursive: true, force: true }))

  /** Biome's output for one file, or "" if it has no complaints. */
  const lint = async (path: string, code: string): Promise<string> => {
    const file = join(copy, "server/src", path)
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

  it("rejects import cycles", async () => {
    const importCode = (from: string): string => `import { thing } from "${from}"\n\nthing()\n`
    await lint("users/first.ts", importCode("./second.ts"))
    expect(await lint("users/second.ts", importCode("./first.ts"))).toContain("noImportCycles")
  })

  it("allows config.ts only to read the environment", async () => {
    const code = "export const port = process.env.PORT\n"
    expect(await lint("config/config.ts", code)).toBe("")
    expect(await lint("users/planted.ts", code)).toContain("noProcessEnv")
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
    const missing = entries.flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {}).filter(
        (name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`],
      ),
    )
    expect(missing).toEqual([])
  })
})
