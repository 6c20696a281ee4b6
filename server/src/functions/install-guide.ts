import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { z } from "zod"
import type { Audit } from "../audit/audit.ts"
import type { Bus } from "../bus/bus.ts"
import type { Database } from "../db/database.ts"
import { systemActor } from "../http/caller.ts"
import type { FunctionRegistry } from "./function-registry.ts"
import { Manifest } from "./schema.ts"
import type { FunctionStore, StoredFunction, ValidatedSource } from "./store.ts"

const examples = join(import.meta.dirname, "examples")
const everyone = { principal_type: "user", principal_id: "*", permission: "read" } as const

interface Deps {
  db: Database
  store: FunctionStore
  registry: FunctionRegistry
  audit: Audit
  bus: Bus
  now: () => number
}

const ValidationOutput = z.object({ code: z.string(), manifest: Manifest })

/**
 * Reads the stored result of validating `guide.ts`: validating it here would start three threads,
 * which add 55 MB to a first start. `example-functions.test.ts` compares and writes that file.
 */
const readGuide = async (): Promise<ValidatedSource> => {
  const content = await readFile(join(examples, "guide.ts"), "utf8")
  const output = await readFile(join(examples, "guide.validated.json"), "utf8")
  return { content, ...ValidationOutput.parse(JSON.parse(output)) }
}

/**
 * Installs the Guide function on a fresh install, granted to everyone, so that there is a model to
 * chat with before a provider is connected. Not run again once accounts exist, so a deleted Guide
 * stays deleted.
 */
export const createGuideInstaller = ({ db, store, registry, audit, bus, now }: Deps) => {
  return async (): Promise<void> => {
    const id = "guide"
    if (await store.byId(id)) return
    const source = await readGuide()
    const { manifest, code } = source
    const at = now()
    const stored: StoredFunction = {
      ...{ id, user_id: "", name: manifest.name ?? id, version: 1, is_active: true },
      ...{ meta: { description: manifest.description, tags: [] }, code, manifest, values: {} },
      ...{ hosts: [], filter_models: [], filter_order: 0, access_grants: [everyone] },
      ...{ created_at: at, updated_at: at },
    }
    await db.transact(async (tx) => {
      if (!(await store.insert(tx, stored))) return
      const version = { ...source, user_id: "", restored_from: null, created_at: at }
      await store.addVersion(tx, stored, version)
      const target = { type: "function", id }
      await audit.record(tx, { actor: systemActor, action: "function.created", target })
      await bus.publish(tx, { topic: "functions" })
    })
    await registry.reload()
  }
}
