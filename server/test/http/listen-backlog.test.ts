import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, it } from "vitest"
import { killAllGateways } from "../harness/gateway-process.ts"
import { startTestGatewayProcess } from "../harness/test-gateway-process.ts"

const folder = mkdtempSync(join(tmpdir(), "portico-crowd-"))
afterAll(() => {
  killAllGateways()
  rmSync(folder, { recursive: true })
})

/** Accept backlog that the system allows, if it is less than 1,000. */
const readMaxBacklog = (): number => Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"))

it.runIf(process.platform === "linux")(
  "queues a thousand connections that arrive while the process is busy",
  async () => {
    const server = await startTestGatewayProcess({ DATA_DIR: folder })
    const port = Number(new URL(server.url).port)
    const connectClient = async (): Promise<Socket> => {
      const socket = connect(port, "127.0.0.1")
      await once(socket, "connect")
      return socket
    }

    server.child.kill("SIGSTOP")
    // A connection that does not fit in the backlog would retry forever.
    const sockets = await Promise.all(
      Array.from({ length: Math.min(1000, readMaxBacklog()) }, () => connectClient()),
    )
    const answers = sockets.map(async (socket) => {
      socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
      const [bytes] = await once(socket, "data")
      return String(bytes).split("\r\n", 1)[0]
    })
    server.child.kill("SIGCONT")
    expect(new Set(await Promise.all(answers))).toEqual(new Set(["HTTP/1.1 200 OK"]))
    server.child.kill("SIGTERM")
    await server.exited
  },
)
