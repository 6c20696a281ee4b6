import { expect, it } from "vitest"
import { Roster } from "./unordered-list.ts"

it("holds those who are in, whatever the order in which others left", () => {
  const roster = new Roster<number>()
  const leaveByMember = new Map([1, 2, 3, 4, 5].map((member) => [member, roster.enter(member)]))
  for (const gone of [2, 5, 1]) leaveByMember.get(gone)?.()
  expect([...roster].sort()).toEqual([3, 4])
  expect(roster.size).toBe(2)
})

it("lets one leave once only", () => {
  const roster = new Roster<string>()
  const leave = roster.enter("ada")
  roster.enter("grace")
  leave()
  leave()
  expect([...roster]).toEqual(["grace"])
})

it("goes through all who were in, though they leave on the way", () => {
  const roster = new Roster<() => void>()
  let ended = 0
  for (let at = 0; at < 10; at++) {
    const leave = roster.enter(() => {
      ended++
      leave()
    })
  }
  for (const end of roster) end()
  expect(ended).toBe(10)
  expect(roster.size).toBe(0)
})
