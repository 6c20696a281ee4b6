import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { portOf } from "../../test/harness/ports.ts"

/** A secret that only its owner may read. */
export const treasure = "the-treasure-of-the-house"

/** The only local address that functions may reach. */
export const openAddress = "127.0.0.2"

/** Host name that resolves alternately to the allowed and to a blocked address. */
export const fickleName = "fickle.example"

const listen = async (server: Server, port: number, address: string): Promise<number> => {
  server.listen(port, address).unref()
  await once(server, "listening")
  return portOf(server)
}

/**
 * Starts two servers on one port: at the allowed address, one that redirects to the URL in its
 * path; at 127.0.0.1, which is blocked, one that returns the secret.
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
