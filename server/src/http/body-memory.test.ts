import { EventEmitter } from "node:events"
import { expect, it } from "vitest"
import { createUserLimit } from "../concurrency/user-limit.ts"
import { createBodyMemory } from "./body-memory.ts"
import type { RequestContext } from "./request-context.ts"

const limit = () =>
  createUserLimit({
    what: "bytes of request bodies",
    variable: "MAX_BUFFERED_BODIES",
    bounds: { perUser: 250_000, total: 1_000_000 },
  })

/** A request whose client may have disconnected already: no `close` event follows then. */
const createContext = (
  length: number,
  { destroyed, address = "10.0.0.1" }: { destroyed: boolean; address?: string },
): RequestContext => {
  const outgoing = Object.assign(new EventEmitter(), { destroyed })
  const incoming = { headers: { "content-length": String(length) } }
  // The code under test reads no other members.
  return { incoming, outgoing, caller: null, address } as unknown as RequestContext
}

it("releases the reservation of a client that already disconnected", () => {
  const bodies = limit()
  const memory = createBodyMemory(bodies)
  for (let times = 0; times < 10; times++) {
    memory.reserve(createContext(200_000, { destroyed: true }), 1_000_000)
  }
  expect(bodies.held()).toBe(0)
})

it("holds the reservation until the response closes", () => {
  const bodies = limit()
  const context = createContext(200_000, { destroyed: false })
  createBodyMemory(bodies).reserve(context, 1_000_000)
  expect(bodies.held()).toBe(200_000)
  ;(context.outgoing as unknown as EventEmitter).emit("close")
  expect(bodies.held()).toBe(0)
})

it("rejects a body above the route's maximum, even if memory is available", () => {
  const memory = createBodyMemory(limit())
  const tooLong = createContext(600_000, { destroyed: false })
  expect(() => memory.reserve(tooLong, 500_000)).toThrow(/is too large/)
})

it("counts unauthenticated clients of one IPv6 network together", () => {
  const memory = createBodyMemory(limit())
  const from = (address: string) => () =>
    memory.reserve(createContext(200_000, { destroyed: false, address }), 1_000_000)
  from("2001:db8::1")()
  expect(from("2001:db8::2")).toThrow(/MAX_BUFFERED_BODIES/)
  expect(from("2001:db8:0:1::2")).not.toThrow()
})
