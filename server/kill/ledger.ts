import { createHash } from "node:crypto"
import { adminKey } from "../test/harness/gateway.ts"
import type { TestGatewayProcess } from "../test/harness/test-gateway-process.ts"

/** A read and the reply it must have, given the acknowledged writes. */
export interface Expectation {
  /** What is read, for messages. */
  about: string
  path: string
  status: number
  key?: string
  method?: "GET" | "HEAD"
  headers?: Record<string, string>
  /** @returns a problem, or null */
  wrong?: (reply: { headers: Headers; text: string }) => string | null
}

const readsAtOnce = 8

export const sha256 = (bytes: string | Buffer): string =>
  createHash("sha256").update(bytes).digest("hex")

/** Expects the reply to contain all texts. */
export const holds =
  (...texts: string[]): NonNullable<Expectation["wrong"]> =>
  ({ text }) => {
    const missing = texts.find((part) => !text.includes(part))
    return missing === undefined ? null : `lacks ${missing}`
  }

const read = async (server: TestGatewayProcess, expected: Expectation): Promise<string | null> => {
  const { about, path, status, key, method = "GET", headers, wrong } = expected
  const reply = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${key ?? adminKey}`, ...headers },
  })
  const text = await reply.text()
  if (reply.status !== status)
    return `${about}: ${path} returned ${reply.status} instead of ${status}`
  const problem = wrong?.({ headers: reply.headers, text })
  return problem ? `${about}: ${path} ${problem}` : null
}

/**
 * Records acknowledged writes. A write that may change an earlier one makes that one uncertain
 * between sending and acknowledgement.
 */
export const createLedger = () => {
  const byThing = new Map<string, Expectation>()
  let fresh = new Set<string>()
  let acknowledged = 0

  const check = async (
    server: TestGatewayProcess,
    things: Iterable<string>,
  ): Promise<{ checked: number; problems: string[] }> => {
    const expected = [...things].flatMap((thing) => byThing.get(thing) ?? [])
    const problems: string[] = []
    let next = 0
    const reader = async (): Promise<void> => {
      for (let item = expected[next++]; item; item = expected[next++]) {
        const problem = await read(server, item)
        if (problem) problems.push(problem)
      }
    }
    await Promise.all(Array.from({ length: readsAtOnce }, reader))
    return { checked: expected.length, problems }
  }

  return {
    /** Drops the expectation for `thing` until the next `expect`. */
    uncertain: (thing: string): void => void byThing.delete(thing),

    /** Records an acknowledged write and the read that proves it. */
    expect: (thing: string, expectation: Expectation): void => {
      acknowledged++
      byThing.set(thing, expectation)
      fresh.add(thing)
    },

    /** Checks the writes acknowledged since the last call. */
    checkFresh: (server: TestGatewayProcess) => {
      const things = fresh
      fresh = new Set()
      return check(server, things)
    },
    checkAll: (server: TestGatewayProcess) => check(server, byThing.keys()),
    acknowledged: (): number => acknowledged,
  }
}

export type Ledger = ReturnType<typeof createLedger>
