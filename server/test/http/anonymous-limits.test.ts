import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { startGateway } from "../harness/gateway.ts"
import { waitFor } from "../harness/usage-records.ts"

describe("anonymous connections", () => {
  it("are limited by address, not counting authenticated connections", async () => {
    const gateway = await startGateway({ MAX_CONNECTIONS: "5/100" })
    const sockets: Socket[] = []
    try {
      const { hostname, port } = new URL(gateway.url)
      const openConnection = async () => {
        const socket = connect({ host: hostname, port: Number(port) })
        sockets.push(socket)
        let text = ""
        socket.on("error", () => {})
        socket.on("data", (bytes) => {
          text += bytes.toString()
        })
        await once(socket, "connect")
        return { socket, text: () => text }
      }
      const authenticated = await openConnection()
      const { key } = await gateway.createUser("Ada")
      authenticated.socket.write(
        `POST /v1/embeddings HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Length: 2\r\n\r\n{}`,
      )
      await waitFor(() => authenticated.text().includes("HTTP/1.1 4"))
      const openSockets = sockets.length
      expect(openSockets).toBe(1)
      const idle: Awaited<ReturnType<typeof openConnection>>[] = []
      for (let count = 0; count < 8; count++) idle.push(await openConnection())
      await waitFor(() => idle.some(({ text }) => text().startsWith("HTTP/1.1 429")))
      const refused = idle.filter(({ text }) => text().startsWith("HTTP/1.1 429"))
      expect(refused.length).toBeGreaterThanOrEqual(3)
      expect(refused[0]?.text()).toMatch(/MAX_CONNECTIONS/)
      for (const { socket } of idle) socket.destroy()
      await waitFor(async () => (await fetch(`${gateway.url}/health`)).status === 200)
    } finally {
      for (const socket of sockets) socket.destroy()
      await gateway.stop()
    }
  })
})

describe("connections of one user", () => {
  it("are limited by the user's own limits, without affecting other users", async () => {
    const gateway = await startGateway({
      MAX_CONNECTIONS: "2/100",
      MAX_REQUESTS: "1/5",
      MAX_EVENT_STREAMS: "1/5",
      MAX_UPLOADS: "1/5",
    })
    const sockets: Socket[] = []
    try {
      const { hostname, port } = new URL(gateway.url)
      /** @returns the status of a request sent on a new connection, which stays open */
      const ask = async (key: string): Promise<string> => {
        const socket = connect({ host: hostname, port: Number(port) })
        sockets.push(socket)
        const head = `Host: localhost\r\nAuthorization: Bearer ${key}`
        socket.write(`POST /v1/embeddings HTTP/1.1\r\n${head}\r\nContent-Length: 2\r\n\r\n{}`)
        const [bytes] = await once(socket, "data")
        const answer = String(bytes)
        if (answer.startsWith("HTTP/1.1 429")) {
          expect(answer).toMatch(/at most 5 connections of clients \(MAX_CONNECTIONS\)/)
          socket.destroy()
        }
        return answer.slice(9, 12)
      }
      const bob = await gateway.createUser("Bob")
      const ada = await gateway.createUser("Ann")
      const statuses: string[] = []
      for (let count = 0; count < 8; count++) statuses.push(await ask(bob.key))
      expect(statuses.filter((status) => status === "429").length).toBeGreaterThanOrEqual(3)
      expect(statuses.slice(0, 4)).not.toContain("429")
      expect(await ask(ada.key)).not.toBe("429")
    } finally {
      for (const socket of sockets) socket.destroy()
      await gateway.stop()
    }
  })
})

describe("sign-ups", () => {
  it("from one address do not delay another address's sign-in", async () => {
    const env = { ENABLE_SIGNUP: "true", TRUSTED_PROXIES: "127.0.0.0/8" }
    // Two dozen hashes take long enough for the sign-in to arrive in between.
    const passwordCost = { logCost: 14, blockSize: 8, parallel: 1 }
    const gateway = await startGateway(env, { passwordCost })
    const requestFrom = (address: string) => ({
      key: null,
      headers: { "x-forwarded-for": address },
    })
    const post = (path: string, body: object, address: string) =>
      gateway.call("POST", `/api/v1/auths/${path}`, body, requestFrom(address))
    try {
      let signedUp = 0
      const flood = Array.from({ length: 24 }, async (_, index) => {
        const email = `flood${index}@example.com`
        await post("signup", { name: "Flood", email, password: "a password of mine" }, "192.0.2.1")
        signedUp++
      })
      await waitFor(() => signedUp > 0)
      const before = signedUp
      const email = "ada@example.com"
      const password = "correct horse battery"
      const { status } = await post("signin", { email, password }, "192.0.2.2")
      expect(status).toBe(200)
      expect(signedUp - before).toBeLessThan(10)
      await Promise.all(flood)
    } finally {
      await gateway.stop()
    }
  })
})
