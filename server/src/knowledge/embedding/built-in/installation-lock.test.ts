import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { createInstallationLock } from "./installation-lock.ts"

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"))
  path = join(folder, "installing.lock")
})
afterEach(() => rmSync(folder, { recursive: true }))

const createLocks = () => Array.from({ length: 8 }, () => createInstallationLock(path))

const leaveDeadLock = (): void => {
  writeFileSync(path, "a process that has died")
  const longAgo = new Date(Date.now() - 120_000)
  utimesSync(path, longAgo, longAgo)
}

it("is held by one process, until that releases it", async () => {
  const [first, second] = createLocks()
  expect(await first?.take()).toBe(true)
  expect(await second?.take()).toBe(false)
  expect(await first?.refresh()).toBe(true)
  await second?.release()
  expect(await second?.isHeld()).toBe(true)
  await first?.release()
  expect(await second?.take()).toBe(true)
  expect(await first?.refresh()).toBe(false)
})

it("is taken by one process of several after its holder has died", async () => {
  for (let round = 0; round < 100; round++) {
    leaveDeadLock()
    const locks = createLocks()
    const taken = await Promise.all(locks.map((lock) => lock.take()))
    const holders = locks.filter((_, at) => taken[at])
    expect(holders).toHaveLength(1)
    expect(await holders[0]?.refresh()).toBe(true)
    expect(readdirSync(folder)).toEqual(["installing.lock"])
    await holders[0]?.release()
  }
})

it("can be taken after a process has died while it replaced a lock", async () => {
  leaveDeadLock()
  writeFileSync(`${path}.replacement`, "")
  const longAgo = new Date(Date.now() - 120_000)
  utimesSync(`${path}.replacement`, longAgo, longAgo)
  const [lock] = createLocks()
  await lock?.take()
  expect(await lock?.take()).toBe(true)
})
