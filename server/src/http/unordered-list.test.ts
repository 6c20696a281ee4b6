import { expect, it } from "vitest"
import { UnorderedList } from "./unordered-list.ts"

it("holds those who are in, whatever the order in which others left", () => {
  const list = new UnorderedList<number>()
  const leaveByMember = new Map([1, 2, 3, 4, 5].map((member) => [member, list.add(member)]))
  for (const removed of [2, 5, 1]) leaveByMember.get(removed)?.()
  expect([...list].sort()).toEqual([3, 4])
  expect(list.size).toBe(2)
})

it("lets one leave once only", () => {
  const list = new UnorderedList<string>()
  const leave = list.add("ada")
  list.add("grace")
  leave()
  leave()
  expect([...list]).toEqual(["grace"])
})

it("goes through all who were in, though they leave on the way", () => {
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
