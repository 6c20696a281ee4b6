import { EventEmitter } from "node:events"
import type { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { createConnectionLimit } from "./connection-limit.ts"

/** Fakes sockets of other clients: a test machine has only one IPv6 address. */
const socketFrom = (remoteAddress: string): Socket & { emit: (event: "close") => boolean } =>
  Object.assign(new EventEmitter(), { remoteAddress, end: () => {} }) as unknown as Socket

const create = () =>
  createConnectionLimit({
    bounds: { perUser: 3, total: 100 },
    maxPerUser: 5,
    isTrusted: (address) => address === "10.0.0.1",
  })

describe("unauthenticated connections", () => {
  it("of one IPv6 network are counted together, however many addresses it has", () => {
    const limit = create()
    const admitted = Array.from({ length: 50 }, (_, index) =>
      limit.admit(socketFrom(`2001:db8:0:1::${(index + 1).toString(16)}`)),
    )
    expect(admitted.filter((one) => one)).toHaveLength(3)
    expect(limit.admit(socketFrom("2001:db8:0:2::1"))).toBe(true)
  })

  it("of IPv4 are counted by address, even if they arrive over IPv6", () => {
    const limit = create()
    const from = (address: string) => limit.admit(socketFrom(address))
    const first = Array.from({ length: 4 }, () => from("::ffff:192.0.2.1"))
    expect(first).toEqual([true, true, true, false])
    expect(from("192.0.2.1")).toBe(false)
    expect(from("::ffff:192.0.2.2")).toBe(true)
  })
})

describe("connections of a user", () => {
  it("are limited, and no longer count against their address", () => {
    const limit = create()
    const sockets = Array.from({ length: 5 }, () => socketFrom("192.0.2.1"))
    for (const socket of sockets) {
      expect(limit.admit(socket)).toBe(true)
      limit.assignToUser(socket, "bob")
      // A connection belongs to the first user authenticated on it.
      limit.assignToUser(socket, "ann")
    }
    const sixth = socketFrom("192.0.2.1")
    expect(limit.admit(sixth)).toBe(true)
    expect(() => limit.assignToUser(sixth, "bob")).toThrow(/at most 5 connections/)
    limit.assignToUser(sixth, "ann")
    sockets[0]?.emit("close")
    const seventh = socketFrom("192.0.2.1")
    expect(limit.admit(seventh)).toBe(true)
    limit.assignToUser(seventh, "bob")
    expect(limit.count()).toEqual({ all: 6, anonymous: 0 })
  })

  it("are not limited behind a trusted proxy", () => {
    const limit = create()
    for (let count = 0; count < 20; count++) {
      const socket = socketFrom("10.0.0.1")
      expect(limit.admit(socket)).toBe(true)
      limit.assignToUser(socket, "bob")
    }
  })
})
