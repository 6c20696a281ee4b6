import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { portOf } from "../../test/harness/ports.ts"

/** What nobody but its owner may read. */
export const treasure = "the-treasure-of-the-house"

/** The only address of this machine that functions may reach. */
export const openAddress = "127.0.0.2"

/** A name that leads to the open address at first and then to a closed one, time and again. */
export const fickleName = "fickle.example"

const listen = async (server: Server, port: number, address: string): Promise<number> => {
  server.listen(port, address).unref()
  await once(server, "listening")
  return portOf(server)
}

/**
 * Two servers on one port: the one at the open address sends whoever comes to wherever the path
 * says, the one at 127.0.0.1 has the treasure.
 */
export const startNeighbour = async () => {
  const visits = { open: 0, closed: 0 }
  const redirect: RequestListener = ({ url = "" }, response) => {
    visits.open++
    response.writeHead(307, { location: `http://${url.slice(1)}/` }).end()
  }
  const tell: RequestListener = (_request, response) => {
    visits.closed++
    response.end(treasure)
  }
  const port = await listen(createServer(redirect), 0, openAddress)
  await listen(createServer(tell), port, "127.0.0.1")
  return { port, visits }
}
