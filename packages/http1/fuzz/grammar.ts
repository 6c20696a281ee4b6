import type { Chooser } from "./random.ts"

interface Framed {
  fields: string[]
  body: string
}

type Choices = readonly [string, ...string[]]

/** Generates HTTP/1.1 messages as Latin-1 strings; `oddness` sets how often they deviate. */
export const createGrammar = (random: Chooser, oddness: number) => {
  /** Returns the ordinary form, or sometimes an unusual one. */
  const mostly = (usual: string, odd: Choices): string =>
    random.chance(oddness) ? random.pick(odd) : usual
  const oneOf = (usual: Choices, odd: Choices): string => mostly(random.pick(usual), odd)

  const lineEnd = (): string =>
    mostly("\r\n", ["\n", "\r", "\r\r\n", "\n\r", "\r\n ", "\r\n\t", "\r\n\r", "\x85", ""])
  const blank = (): string =>
    oneOf([" ", " ", " ", "", "\t", "  "], ["\x0b", "\x0c", "\n", "\r", "\xa0", "\x00", " \r\n "])

  const blankAfter = (): string =>
    oneOf(["", "", " ", "  "], ["\t", " \t", "\x0b", "\x0c", "\n", "\r", "\xa0", "\x00"])

  const lengthOf = (length: number): string =>
    mostly(`${length}`, [
      ...([`+${length}`, `-${length}`, `0x${length.toString(16)}`, `${length}.0`] as const),
      ...[`0${length}`, `${length},${length}`, `${length}, ${length}`, `${length} ${length}`],
      ...[`${length}e0`, `${length + 1}`, "18446744073709551616", "", "x", `${length};a`],
    ])

  const field = (name: string, value: string): string =>
    `${name}${mostly(":", [" :", "\t:", "", "::", ":\r\n ", "\x00:"])}${blank()}${value}${blankAfter()}${lineEnd()}`

  const cased = (name: string): string =>
    random.chance(0.3) ? (random.chance(0.5) ? name.toUpperCase() : name.toLowerCase()) : name

  const otherField = (): string => {
    const value = oneOf(
      ["x", "", "a b", "gzip, deflate", "timeout=5", "text/plain", "\x80\xff"],
      ["\x00", "a\rb", "a\nb", "a\x0bb", "\x7f", "\x1b[0m", "a\r\n b"],
    )
    const name = oneOf(
      ["X-A", "X-B", "Date", "Content-Type", "Keep-Alive", "Server", "Accept"],
      ["", "X A", "X\tA", "X\x00", "X(", "\xe4", "X-A\r", "\nX-A", " X-A", "Content-Length "],
    )
    return field(cased(name), value)
  }

  const connectionField = (): string => {
    const value = oneOf(
      ["close", "keep-alive", "Keep-Alive", "Close"],
      [
        ...(["close, keep-alive", "keep-alive,close", "upgrade", "x", "", "close x"] as const),
        ...["closed", "clo se", ",close", "close,", "x, close", "keep-alive\x0b", "close;a"],
      ],
    )
    return field(cased(random.pick(["Connection", "Connection", "Proxy-Connection"])), value)
  }

  const extension = (): string =>
    random.chance(0.9)
      ? mostly("", [
          " ",
          "\t",
          ";",
          " ;a",
          ";a\n",
          ";a b",
          ";=b",
          ';a="',
          ";\x00",
          "X",
          "\x0b",
          ";\r",
        ])
      : random.pick([";a", ";a=b", ';a="b c"', ';a="\\""', ";a;b=c", ";a=b;c"])

  const chunk = (text: string): string => {
    const size = mostly(text.length.toString(16), [
      ...([
        text.length.toString(16).toUpperCase(),
        `0${text.length.toString(16)}`,
        "",
        "g",
      ] as const),
      ...[`0x${text.length}`, `-${text.length}`, `${text.length + 1}`, "ffffffffffffffffff", " 1"],
    ])
    return `${size}${extension()}${lineEnd()}${text}${lineEnd()}`
  }

  const trailer = (): string => {
    if (random.chance(0.9)) return ""
    const named = mostly("X-Sum: 1\r\n", [
      ...(["content-length: 5\r\n", "Transfer-Encoding: chunked\r\n", "x\r\n", ": y\r\n"] as const),
      ...["connection: close\r\n", " x: y\r\n", "x: \x00\r\n", "junk\n", "x : y\r\n", "x: y\n"],
    ])
    return random.chance(0.5) ? named : otherField()
  }

  const words = (): string =>
    random.pick(["", "hello", "a\r\nb", "0\r\n\r\n", "{}", "x".repeat(300)])

  const chunked = (): string => {
    let body = ""
    for (let left = random.below(4); left > 0; left--) {
      const text = words()
      if (text !== "") body += chunk(text)
    }
    return `${body}${mostly("0", ["00", "", "0 "])}${extension()}${lineEnd()}${trailer()}${lineEnd()}`
  }

  const counted = (text: string): string => field(cased("Content-Length"), lengthOf(text.length))

  const coded = (): string => {
    const coding = oneOf(
      ["chunked", "chunked", "Chunked"],
      [
        ...(["gzip, chunked", "chunked, gzip", "identity", "", "chunked,", "xchunked"] as const),
        ...[
          "chunked\x0b",
          "\x0bchunked",
          "chunked chunked",
          "chunked;a",
          ",chunked",
          "chunked\x00",
        ],
      ],
    )
    return field(cased("Transfer-Encoding"), coding)
  }

  /** Frames a body: the framing headers and the encoded body. */
  const framed = (kind: "counted" | "chunked" | "open"): Framed => {
    const text = words()
    if (random.chance(oddness / 2)) {
      const fields = [counted(text), coded(), counted(text)].slice(0, 2 + random.below(2))
      return { fields, body: random.chance(0.5) ? text : chunked() }
    }
    if (kind === "counted") return { fields: [counted(text)], body: text }
    if (kind === "chunked") return { fields: [coded()], body: chunked() }
    return { fields: [], body: text }
  }

  return { mostly, oneOf, lineEnd, field, cased, otherField, connectionField, framed }
}

export type Grammar = ReturnType<typeof createGrammar>
