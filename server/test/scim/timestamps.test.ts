import { expect, it } from "vitest"
import { nextMillisecond } from "../harness/timing.ts"
import { describeScim } from "./scim-client.ts"

describeScim("Times", (client) => {
  it("have millisecond precision, and filters compare them exactly", async () => {
    const { id, meta } = await client().createUser("timed")
    expect(meta.created).toBe(meta.lastModified)
    const stamps = new Set<string>()
    for (let round = 0; round < 8; round++) {
      await nextMillisecond()
      const { body } = await client().patch(`/Users/${id}`, {
        op: "replace",
        path: "nickName",
        value: `t${round}`,
      })
      const { lastModified } = body.meta
      expect(lastModified).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      stamps.add(lastModified)
      const at = Date.parse(lastModified)
      const iso = (ms: number): string => new Date(ms).toISOString()
      const finer = lastModified.replace("Z", "4Z")
      const cases: [string, string, boolean][] = [
        ["ge", lastModified, true],
        ["gt", lastModified, false],
        ["gt", iso(at - 1), true],
        ["ge", iso(at + 1), false],
        ["eq", lastModified, true],
        ["eq", iso(at + 1), false],
        ["le", lastModified, true],
        ["lt", lastModified, false],
        ["lt", iso(at + 1), true],
        ["ge", finer, false],
        ["gt", finer, false],
        ["lt", finer, true],
        ["eq", finer, false],
        ["eq", lastModified.replace("Z", "000000Z"), true],
        ["eq", lastModified.replace("Z", "+00:00"), true],
      ]
      for (const [operator, time, expected] of cases) {
        const filter = `id eq "${id}" and meta.lastModified ${operator} "${time}"`
        const found = await client().find("Users", filter)
        expect([operator, time, lastModified, found.body.totalResults === 1]).toEqual([
          operator,
          time,
          lastModified,
          expected,
        ])
      }
    }
    expect([...stamps].some((stamp) => !stamp.endsWith(".000Z"))).toBe(true)
    expect(stamps.size).toBe(8)
    const api = (await client().gateway.call("GET", `/api/v1/users/${id}`)).body
    const last = Math.max(...[...stamps].map((stamp) => Date.parse(stamp)))
    expect(api.updated_at).toBe(Math.floor(last / 1000))
  })

  it("of groups can be filtered too", async () => {
    const { id } = await client().createGroup("Timed")
    const { body } = await client().patch(`/Groups/${id}`, {
      op: "replace",
      path: "displayName",
      value: "Timed 2",
    })
    const filter = `meta.lastModified ge "${body.meta.lastModified}"`
    const found = await client().find("Groups", filter)
    expect(found.body.Resources.map((group: { id: string }) => group.id)).toContain(id)
  })
})
