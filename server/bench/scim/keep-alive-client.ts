import { connect } from "node:net"
import { createMessageReader } from "../proxy/message.ts"

export interface Reply {
  status: number
  /** The start of the body, for error messages. */
  text: string
}

interface Line {
  usable: () => boolean
  ask: (request: string) => Promise<Reply>
  close: () => void
}

const shownBytes = 300

/** A keep-alive connection for one request at a time. */
const openLine = (port: number): Line => {
  let reply: Reply = { status: 0, text: "" }
  let settle: PromiseWithResolvers<Reply> | undefined
  const read = createMessageReader({
    head: (text) => {
      reply = { status: Number(text.slice(9, 12)), text: "" }
    },
    body: (bytes) => {
      if (reply.text.length < shownBytes) reply.text += bytes.toString("utf8", 0, shownBytes)
    },
    end: () => settle?.resolve(reply),
  })
  const socket = connect({ port, host: "127.0.0.1", noDelay: true })
  socket.on("data", read)
  socket.on("error", (error) => settle?.reject(error))
  socket.on("close", () => settle?.reject(new Error("The gateway closed the connection")))
  return {
    usable: () => !socket.destroyed,
    ask: (request) => {
      settle = Promise.withResolvers<Reply>()
      socket.write(request)
      return settle.promise
    },
    close: () => socket.destroy(),
  }
}

/** Sends concurrent requests, each on an idle connection or a new one. */
export const createAsker = (port: number) => {
  const lines = new Set<Line>()
  let free: Line[] = []
  return {
    ask: async (request: string): Promise<Reply> => {
      free = free.filter(({ usable }) => usable())
      const line = free.pop() ?? openLine(port)
      lines.add(line)
      const reply = await line.ask(request)
      free.push(line)
      return reply
    },

    close: (): void => {
      for (const line of lines) line.close()
    },
  }
}
