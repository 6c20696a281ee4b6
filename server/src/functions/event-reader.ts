const boundary = /\r?\n\r?\n/

/** Takes a stream of server-sent events apart; gives the data of each that is whole. */
export const createEventReader = () => {
  const decoder = new TextDecoder()
  let rest = ""

  const dataOf = (event: string): string =>
    event
      .split(/\r?\n/)
      .filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).trimStart())
      .join("\n")

  return {
    read: (chunk: Buffer): string[] => {
      rest += decoder.decode(chunk, { stream: true })
      const events = rest.split(boundary)
      rest = events.pop() ?? ""
      return events.map(dataOf).filter(Boolean)
    },
    /** What came after the last blank line. */
    end: (): string[] => {
      const last = dataOf(rest)
      rest = ""
      return last ? [last] : []
    },
  }
}
