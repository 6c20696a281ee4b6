import { expect, it } from "vitest"
import { UnorderedList } from "./unordered-list.ts"

it("holds those who are in, whatever the order in which others left", () => {
  const roster = new UnorderedList<number>()
  const leaveByMember = new Map([1, 2, 3, 4, 5].map((member) => [member, roster.add(member)]))
  for (const gone of [2, 5, 1]) leaveByMember.get(gone)?.()
  expect([...roster].sort()).toEqual([3, 4])
  expect(roster.size).toBe(2)
})

it("lets one leave once only", () => {
  const roster = new UnorderedList<string>()
  const leave = roster.add("ada")
  roster.add("grace")
  leave()
  leave()
  expect([...roster]).toEqual(["grace"])
})

it("goes through all who were in, though they leave on the way", () => {
  const roster = new UnorderedList<() => void>()
  let ended = 0
  for (let at = 0; at < 10; at++) {
    const leave = roster.add(() => {
      ended++
      leave()
    })
  }
  for (const end of roster) end()
  expect(ended).toBe(10)
  expect(roster.size).toBe(0)
})
