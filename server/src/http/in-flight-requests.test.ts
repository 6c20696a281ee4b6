import { expect, it, vi } from "vitest"
import { createTestBackground } from "../../test/harness/background.ts"
import { createTopicListeners } from "../bus/bus.ts"
import { currentUser, runAs } from "../concurrency/current-user.ts"
import { createUserLimit } from "../concurrency/user-limit.ts"
import { type Caller, noCredentialLimits, type UserAccess } from "./caller.ts"
import { createInFlightRequests } from "./in-flight-requests.ts"

const createLimit = (what: string) =>
  createUserLimit({ what, variable: "MAX", bounds: { perUser: 2, total: 3 } })

const startTracking = () => {
  const background = createTestBackground()
  const listeners = createTopicListeners(background)
  const bus = { ...listeners, publish: async () => {}, close: async () => {} }
  const valid = new Map<string, UserAccess>()
  const failures: Error[] = []
  /** On whose behalf access was read. */
  const readers: (string | undefined)[] = []
  const accessByCredential = async (): Promise<ReadonlyMap<string, UserAccess>> => {
    readers.push(currentUser())
    const present = new Map(valid)
    await Promise.resolve()
    const failure = failures.pop()
    if (failure) throw failure
    return present
  }
  const limits = { requests: createLimit("requests"), eventStreams: createLimit("event streams") }
  const inFlight = createInFlightRequests({
    background,
    bus,
    limits,
    store: { accessByCredential },
  })
  const signIn = (name: string): Caller => {
    const access = { role: "user", groups: new Set<string>(["crew"]) } as const
    valid.set(name, access)
    return {
      user: { id: name, email: `${name}@example.com`, name, role: "user" },
      groups: access.groups,
      paying_group: null,
      credential: { type: "session", id: name, limits: noCredentialLimits },
      confirmed_at: performance.now(),
    }
  }
  const ended: string[] = []
  const start = (caller: Caller) =>
    inFlight.track(caller, {
      revoke: () => ended.push(caller.user.name),
      shutDown: () => ended.push(`${caller.user.name} at shutdown`),
      accessRevocation: {
        isDue: ({ groups }) => !groups.has("crew"),
        end: () => ended.push(`${caller.user.name} without access`),
      },
    })
  return { deliver: listeners.deliver, inFlight, valid, failures, readers, signIn, start, ended }
}

it("ends the requests of a revoked credential, or whose access was lost, and no others", async () => {
  const { deliver, valid, signIn, start, ended } = startTracking()
  for (const name of ["ada", "bob", "eve"]) start(signIn(name))
  valid.delete("ada")
  valid.set("bob", { role: "user", groups: new Set() })
  deliver({ topic: "user", id: "ada" })
  await expect.poll(() => ended).toEqual(["ada", "bob without access"])
})

it("ends a request tracked only after its credential was revoked", async () => {
  const { deliver, valid, signIn, start, ended } = startTracking()
  const [ada, bob] = [signIn("ada"), signIn("bob")]
  valid.clear()
  deliver({ topic: "user", id: "ada" })
  start(ada)
  await expect.poll(() => ended).toEqual(["ada"])
  deliver({ topic: "reset" })
  start(bob)
  await expect.poll(() => ended).toContain("bob")
})

it("checks again after a failure, and after a change during a check", async () => {
  const { deliver, valid, failures, signIn, start, ended } = startTracking()
  start(signIn("ada"))
  start(signIn("bob"))
  failures.push(new Error("the database is unavailable"))
  valid.delete("ada")
  deliver({ topic: "groups" })
  await expect.poll(() => ended).toContain("ada")
  deliver({ topic: "groups" })
  valid.delete("bob")
  deliver({ topic: "user", id: "bob" })
  await expect.poll(() => ended).toContain("bob")
})

it("limits requests and event streams separately", () => {
  const { inFlight, signIn, start } = startTracking()
  const ada = signIn("ada")
  const stop = start(ada)
  start(ada)
  expect(() => start(ada)).toThrow(/at most 2 requests/)
  const end = (): void => {}
  expect(() => inFlight.track(ada, { revoke: end, shutDown: end }, "eventStreams")).not.toThrow()
  stop()
  stop()
  expect(() => start(ada)).not.toThrow()
  expect(() => start(ada)).toThrow()
})

it("waits for the remaining requests at shutdown, and ends them after the given time", async () => {
  const { inFlight, signIn, start, ended } = startTracking()
  const stop = start(signIn("ada"))
  const drained = inFlight.drain(60_000, Promise.resolve())
  stop()
  await drained
  expect(ended).toEqual([])
  start(signIn("bob"))
  await inFlight.drain(10, Promise.resolve())
  expect(ended).toEqual(["bob at shutdown"])
})

it("ends requests that arrive after the shutdown began, while connections are open", async () => {
  const { inFlight, signIn, start, ended } = startTracking()
  let close = (): void => {}
  const closed = new Promise<void>((resolve) => {
    close = resolve
  })
  const drained = inFlight.drain(50, closed)
  const draining = vi.fn()
  const end = (): void => {}
  const stop = inFlight.track(signIn("eve"), { revoke: end, shutDown: end, draining })
  start(signIn("bob"))
  await expect.poll(() => draining.mock.calls.length).toBe(1)
  stop()
  await expect.poll(() => ended).toEqual(["bob at shutdown"])
  close()
  await drained
})

it("checks everybody's access on nobody's behalf, whoever causes it", async () => {
  const { inFlight, valid, readers, signIn, start, ended } = startTracking()
  start(signIn("ada"))
  valid.clear()
  runAs("eve", () => inFlight.recheckAccess())
  await expect.poll(() => ended).toEqual(["ada"])
  expect(readers).toEqual([undefined])
})
