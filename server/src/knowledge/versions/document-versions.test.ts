import { expect, it } from "vitest"
import { createFairEventLoop } from "../../concurrency/fair-event-loop.ts"
import type { FileSummary } from "../../files/file-store.ts"
import { createVersionFinder } from "./document-versions.ts"

let count = 0
const file = (filename: string, fields: Partial<FileSummary> = {}): FileSummary => {
  count++
  return {
    id: `file-${count}`,
    filename,
    status: "completed",
    passages: 1,
    text_length: 100,
    error: null,
    embedding: null,
    hash: `hash-${count}`,
    text_revision: 1,
    user_id: "ada",
    document_date: null,
    language: "en",
    created_at: 1_700_000_000 + count,
    ...fields,
  }
}

const policy = (subject: string): string =>
  `Everyone has a right to ${subject}. It is requested in the portal two weeks in advance and approved by the team lead. What is not used by the end of March expires. Whoever joins during a year has a twelfth for each month.`

/** A finder over texts by file name, and which files it has read. */
const createFinder = (textOf: (filename: string) => string) => {
  const files = new Map<string, string>()
  const read: string[] = []
  const find = createVersionFinder({
    fairLoop: createFairEventLoop(),
    passages: {
      beginnings: async (ids) => {
        read.push(...ids)
        return new Map(ids.map((id) => [id, textOf(files.get(id) ?? "")]))
      },
    },
  })
  return {
    read,
    find: (found: readonly FileSummary[], scope: readonly FileSummary[]) => {
      for (const { id, filename } of scope) files.set(id, filename)
      return find("ada", found, scope)
    },
  }
}

it.each([
  ["2023-05-01 Leave policy.docx", "2025-06-15 Leave policy.docx"],
  ["Old leave policy.docx", "Leave policy.docx"],
  ["v1 Leave policy.docx", "v2 Leave policy.docx"],
  ["休假制度2023.docx", "休假制度2025.docx"],
])("finds the newer version of %s among thousands of files", async (name, newerName) => {
  const older = file(name)
  const newer = file(newerName)
  const others = Array.from({ length: 4000 }, (_, at) => file(`Note ${at} of a day.txt`))
  const scope = [older, ...others, newer]
  const { find } = createFinder((filename) =>
    policy(filename.includes("Note") ? "a note" : "leave"),
  )
  const versions = await find([older], scope)
  expect(versions.get(older.id)).toMatchObject({ position: 2, total: 2, newest: newer })
  expect(versions.size).toBe(2)
})

it("compares the files with the best passages first", async () => {
  const groups = Array.from({ length: 40 }, (_, at) => {
    const word = `${"abcdefgh"[at % 8]}${"klmnp"[Math.floor(at / 8)]}x`
    return [file(`${word} rules 2023.md`), file(`${word} rules 2024.md`)]
  })
  const scope = groups.flat()
  const best = groups.toReversed()
  const { find, read } = createFinder(policy)
  const versions = await find(
    best.flatMap((group) => group.slice(0, 1)),
    scope,
  )
  for (const [older] of best.slice(0, 30)) expect(versions.get(older?.id ?? "")?.position).toBe(2)
  expect(read.length).toBeLessThanOrEqual(60)
})

it("compares found files among many of the same name", async () => {
  const scope = Array.from({ length: 100 }, () => file("README.md"))
  const found = scope.slice(0, 3).toReversed()
  const { find } = createFinder(() => policy("leave"))
  const versions = await find(found, scope)
  for (const { id } of found) expect(versions.has(id)).toBe(true)
})

it("takes an issue and a quarter for no version, though its text is the same", async () => {
  const scope = [
    "Report Q1 2025.md",
    "Report Q2 2025.md",
    "News issue 1.md",
    "News issue 2.md",
  ].map((name) => file(name))
  const { find } = createFinder(() => policy("leave"))
  expect((await find(scope, scope)).size).toBe(0)
})

it("reads a text once, and again when it was replaced", async () => {
  const scope = [file("Rules 2023.md"), file("Rules 2024.md")]
  const { find, read } = createFinder(() => policy("leave"))
  expect((await find(scope, scope)).size).toBe(2)
  expect((await find(scope, scope)).size).toBe(2)
  expect(read).toHaveLength(2)
  const [first, second] = scope.map((one) => ({ ...one, text_revision: 2 }))
  if (!first || !second) throw new Error("two files")
  await find([first], [first, second])
  expect(read).toHaveLength(4)
})

it("lets others work while many files are compared", async () => {
  const scope = Array.from({ length: 3000 }, (_, at) => file(`README ${2000 + (at % 30)}.md`))
  const { find } = createFinder((name) => `${name} ${policy("leave").repeat(20)}`)
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await find(scope.slice(0, 100), scope)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})
