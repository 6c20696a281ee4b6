import { afterAll, beforeAll, expect, it } from "vitest"
import { startGateway, type TestGateway } from "../harness/gateway.ts"
import { createCollection, upload } from "../knowledge/collections.ts"
import { completionText, requestCompletion, saveFunction } from "./function-client.ts"

interface Source {
  source: { name: string }
  metadata: { version?: { position: number; total: number } }[]
}

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway({ EMBEDDING_MODEL: "none" })
})
afterAll(() => gateway.stop())

const search = async (
  files: readonly (readonly [string, string])[],
  query: string,
  limit: number,
): Promise<Source[]> => {
  const ids: string[] = []
  for (const [name, text] of files) {
    const options = { query: "?process_in_background=false" }
    ids.push((await upload(gateway, name, text, options)).body.id)
  }
  const id = await createCollection(gateway, "Railways", ids)
  await saveFunction(
    gateway,
    "searcher",
    `export const reply = async (request, context) =>
      JSON.stringify((await context.search(["${id}"], ${JSON.stringify(query)}, { limit: ${limit} })).sources)`,
  )
  return JSON.parse(completionText(await requestCompletion(gateway, "searcher")))
}

it("finds passages in another language, however few a function wants", async () => {
  const english = Array.from({ length: 20 }, (_, at): [string, string] => [
    `valley-${at}.txt`,
    `The railway to Zermatt climbs through valley number ${at}. The track is steep and the carriages of the railway are old.`,
  ])
  const german =
    "Die Bahn nach Zermatt hat eine Zahnstange, weil die Steigung an einigen Stellen 125 Promille beträgt. Die Wagen werden jeden Herbst überholt."
  const sources = await search(
    [...english, ["bahn.txt", german]],
    "How steep is the track of the railway to Zermatt?",
    4,
  )
  expect(sources).toHaveLength(4)
  expect(sources.at(-1)?.source.name).toBe("bahn.txt")
})

it("says which version of a document a source is from", async () => {
  const text = (days: number): string =>
    `Leave rules. Every employee has ${days} days of paid leave in a year. Leave is requested in the portal two weeks in advance. Sick days do not count.`
  const files = [
    ["Leave rules.txt", text(25)],
    ["Leave rules.txt", text(30)],
  ] as const
  const sources = await search(files, "How many days of leave are there?", 4)
  expect(sources.map(({ metadata }) => metadata[0]?.version?.total)).toEqual([2, 2])
})
