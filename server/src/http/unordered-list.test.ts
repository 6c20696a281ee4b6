import { expect, it } from "vitest"
import { UnorderedList } from "./unordered-list.ts"

it("keeps the remaining members, whatever the order of removals", () => {
  const list = new UnorderedList<number>()
  const leaveByMember = new Map([1, 2, 3, 4, 5].map((member) => [member, list.add(member)]))
  for (const removed of [2, 5, 1]) leaveByMember.get(removed)?.()
  expect([...list].sort()).toEqual([3, 4])
  expect(list.size).toBe(2)
})

it("ignores a second removal of the same member", () => {
  const list = new UnorderedList<string>()
  const leave = list.add("ada")
  list.add("grace")
  leave()
  leave()
  expect([...list]).toEqual(["grace"])
})

it("iterates over all members even if they are removed meanwhile", () => {
  const list = new UnorderedList<() => void>()
  let ended = 0
  for (let at = 0; at < 10; at++) {
    const leave = list.add(() => {
      ended++
      leave()
    })
  }
  for (const end of list) end()
  expect(ended).toBe(10)
  expect(list.size).toBe(0)
})
