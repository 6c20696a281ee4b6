import { describe, expect, it } from "vitest"
import { createSignInThrottle } from "./throttle.ts"

const setUp = () => {
  let time = 0
  const throttle = createSignInThrottle({ nowMs: () => time })
  const attempt = (account: string, address: string, right = false) =>
    throttle.attempt({ account, address }, async () => right)
  /** Seconds that an attempt has to wait; 0 if it reaches the password check. */
  const waitFor = (account: string, address: string): Promise<number> =>
    attempt(account, address, true).then(
      () => 0,
      (failure) => Number(failure.details.headers["retry-after"]),
    )
  return {
    attempt,
    waitFor,
    advanceTime: (ms: number) => {
      time += ms
    },
    fail: async (times: number, account: (n: number) => string, address: (n: number) => string) => {
      for (let n = 0; n < times; n++) await attempt(account(n), address(n))
    },
  }
}

const ada = () => "ada@example.com"
const home = () => "192.0.2.1"

describe("the sign-in throttle", () => {
  it("doubles the wait with each further failure, up to five minutes", async () => {
    const { fail, waitFor, attempt, advanceTime } = setUp()
    await fail(5, ada, home)
    const waits: number[] = []
    for (let n = 0; n < 8; n++) {
      const seconds = await waitFor(ada(), home())
      waits.push(seconds)
      advanceTime(seconds * 1000)
      await attempt(ada(), home())
    }
    expect(waits).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
  })

  it("forgets failures after 15 minutes and after a successful sign-in", async () => {
    const { fail, waitFor, advanceTime } = setUp()
    await fail(5, ada, home)
    advanceTime(15 * 60_000)
    expect(await waitFor(ada(), home())).toBe(0)
    await fail(4, ada, home)
    expect(await waitFor(ada(), home())).toBe(0)
    await fail(4, ada, home)
    expect(await waitFor(ada(), home())).toBe(0)
  })

  it("blocks only the address that fails for many accounts", async () => {
    const { fail, waitFor } = setUp()
    await fail(30, (n) => `user-${n}@example.com`, home)
    expect(await waitFor("fresh@example.com", home())).toBe(5)
    expect(await waitFor("fresh@example.com", "192.0.2.2")).toBe(0)
  })

  it("delays an account attacked from many addresses but lets its owner in", async () => {
    const { fail, waitFor } = setUp()
    await fail(20, ada, (n) => `192.0.2.${n}`)
    const since = performance.now()
    expect(await waitFor(ada(), "198.51.100.1")).toBe(0)
    expect(performance.now() - since).toBeGreaterThan(1900)
  })

  it("rejects a flood instead of queuing it forever", async () => {
    const { attempt } = setUp()
    const flood = Array.from({ length: 500 }, (_, n) => attempt(`${n}@example.com`, home(), true))
    const refused = (await Promise.allSettled(flood)).filter(({ status }) => status === "rejected")
    expect(refused).toHaveLength(500 - 202)
  })
})
