import { once } from "node:events"
import { createServer, type Server } from "node:net"

export const portOf = (server: Server): number => {
  const address = server.address()
  if (typeof address !== "object" || !address)
    throw new Error("The server is not listening on a port")
  return address.port
}

/** Listens on a free port on the loopback interface. @returns the port */
export const listenOnLoopback = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return portOf(server)
}

/** Finds a free port on the loopback interface. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer()
  const port = await listenOnLoopback(server)
  server.close()
  await once(server, "close")
  return port
}
