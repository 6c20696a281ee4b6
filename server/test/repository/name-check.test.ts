import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"

interface Names {
  findBannedWord(name: string): { word: string; use: string } | undefined
  declaredNames(file: string, text: string): Map<string, number>
}

const script = join(import.meta.dirname, "../../../scripts/names.mjs")

describe("the name check", () => {
  let names: Names
  beforeAll(async () => {
    names = await import(pathToFileURL(script).href)
  })

  it.each([
    ["wallWorker", "sandbox"],
    ["functionWall", "sandbox"],
    ["vector-shelf", "cache"],
    ["mostHeldBytes", "max"],
    ["usualTemplate", "default"],
    ["LONGEST_LINE", "max"],
    ["through", "a verb with an object"],
    ["InnerHearing", "consumer"],
    ["isGone", "disconnected, deleted"],
  ])("rejects %s and suggests %s", (name, use) => {
    expect(names.findBannedWord(name)?.use).toBe(use)
  })

  it.each(["wallet", "firewall", "sendThrough", "almost", "most", "housekeeping", "recordUsage"])(
    "accepts %s",
    (name) => {
      expect(names.findBannedWord(name)).toBeUndefined()
    },
  )

  it("collects variables, parameters, types and members, but not schema fields", () => {
    const code = `
interface Reply { told: string; hear(): void }
type Shelf = Map<string, string>
const Wire = z.object({ quoted: z.string() })
export const send = (gone: boolean, { patience = 1, ...rest }: Reply) => ({ lane })
class Pool { #mine = 0 }
`
    expect([...names.declaredNames("example.ts", code).keys()].sort()).toEqual(
      [
        ...["Pool", "Reply", "Shelf", "Wire", "gone", "hear", "lane", "mine"],
        ...["patience", "send", "told"],
      ].sort(),
    )
  })
})
