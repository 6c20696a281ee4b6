import type { Chooser } from "../../test/harness/random.ts"
import { bytesOf, type Draft } from "./request.ts"

const nested = (levels: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value }
  return value
}

const oddStrings = [
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "x\udfffy",
  "\u202e\u2066",
  "\u2028",
  "é".normalize("NFD"),
  "__proto__",
  "constructor",
  "toString",
  "../../../../etc/passwd",
  "%00",
  "%2e%2e%2f",
  "'; drop table users; --",
  "<script>alert(1)</script>",
  "{{7*7}}<%= 7 %>",
  "NaN",
  "1e400",
  "null",
  "true",
  "-1",
  "9999999999999999999999",
  "2026-02-30T25:61:61Z",
  "*",
  "%",
  "_",
  "\\",
  '"',
  "(((((((((((",
  "a@b",
  "İ",
  "ß",
  "𝒳".repeat(50),
  "x".repeat(300),
  "x".repeat(70_000),
]

const oddNumbers = [
  ...[0, -0, -1, 1.5, 1e308, -1e308, 5e-324, 2 ** 31, 2 ** 31 - 1, 2 ** 32, 2 ** 53, 2 ** 53 + 2],
  ...[2 ** 63, -(2 ** 63), 1e21, 253402300800, 8.64e15 + 1],
]

/** Introduces one fault into a request draft. */
export const createMutations = (random: Chooser) => {
  const oddValue = (): unknown =>
    random.pick<() => unknown>([
      () => random.pick(oddStrings),
      () => random.pick(oddStrings),
      () => random.pick(oddNumbers),
      () => null,
      () => random.chance(0.5),
      () => [],
      () => ({}),
      () => nested(random.pick([3, 60, 600])),
      () =>
        Array.from({ length: random.pick([1, 300, 20_000]) }, () =>
          random.pick(oddStrings.slice(0, 20)),
        ),
      () => Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`k${at}`, at])),
      () => JSON.parse('{"__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}'),
    ])()

  /** All replaceable positions in a value. */
  const placesIn = (value: unknown, found: [parent: object, key: string][] = []) => {
    if (typeof value !== "object" || value === null || found.length > 500) return found
    for (const [key, inner] of Object.entries(value)) {
      found.push([value, key])
      placesIn(inner, found)
    }
    return found
  }

  const bodyMember = (draft: Draft): void => {
    const places = placesIn(draft.body)
    if (places.length === 0) {
      draft.body = oddValue()
      return
    }
    const [parent, key] = random.pick(places)
    const change = random.below(4)
    if (change === 0) Reflect.deleteProperty(parent, key)
    else if (change === 1)
      Reflect.set(parent, random.chance(0.5) ? "unknown" : random.pick(oddStrings), oddValue())
    else Reflect.set(parent, key, oddValue())
  }

  const bodyBytes = (draft: Draft): void => {
    const bytes = bytesOf(draft) ?? Buffer.alloc(0)
    const text = bytes.toString("latin1")
    draft.raw = random.pick<() => Buffer>([
      () => bytes.subarray(0, random.below(bytes.length + 1)),
      () => Buffer.concat([bytes, Buffer.from(random.pick(["}", "\u0000", " ", "{}", "\n\n"]))]),
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes]),
      () => Buffer.from(bytes.toString("utf8"), "utf16le"),
      () => Buffer.from(text.replace(/"/g, "'"), "latin1"),
      () => Buffer.from(text.replace(/^\{/, '{"id":1,"id":2,"model":"x","Model":"y",'), "latin1"),
      () => Buffer.from(text.replace(/:/, ":\xff\xfe"), "latin1"),
      () => Buffer.from(text.replace(/\d/, "1e999"), "latin1"),
      () => {
        const changed = Buffer.from(bytes)
        for (let times = 0; times < 4 && changed.length > 0; times++) {
          changed[random.below(changed.length)] = random.below(256)
        }
        return changed
      },
      () => Buffer.from("[".repeat(random.pick([10, 501, 100_000]))),
      () => Buffer.from(`{"a":${'{"a":'.repeat(random.pick([10, 501, 50_000]))}`),
      () => Buffer.alloc(random.pick([1, 1000, 1_100_000]), "a"),
      () => Buffer.alloc(0),
    ])()
  }

  const contentType = (draft: Draft): void => {
    draft.headers["content-type"] = random.pick([
      ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "a", ""],
      ...["application/json; charset=utf-16", "multipart/form-data; boundary=", "application/xml"],
      ...["multipart/mixed; boundary=x", `multipart/form-data; boundary=${"b".repeat(300)}`],
    ])
  }

  const header = (draft: Draft): void => {
    const [name, value] = random.pick<readonly [string, string]>([
      ["content-encoding", "gzip"],
      ["accept", "text/html"],
      ["accept-encoding", "br;q=1, *;q=0"],
      ["if-match", '"1"'],
      ["if-none-match", "*"],
      [
        "range",
        random.pick([
          "bytes=0-0",
          "bytes=5-1",
          "bytes=-0",
          "bytes=0-0,2-3",
          "bytes=a-b",
          "lines=1",
        ]),
      ],
      ["x-request-id", random.pick(["ok-1", "a".repeat(5000), "a b\tc", "ü".repeat(9)])],
      ["x-forwarded-for", "1.2.3.4, 5.6.7.8"],
      ["x-http-method-override", "DELETE"],
      ["origin", "https://elsewhere.example"],
      ["last-event-id", random.pick(["-1", "1e9", "x", "99999999999999999999"])],
      ["upload-offset", random.pick(["-1", "1e9", "x", "5"])],
      ["tus-resumable", "0.0.1"],
      ["cookie", "token=; token=x; a=b; portico_sso=%ff"],
      [
        "authorization",
        random.pick(["Basic YTpi", "Bearer", "Bearer  x", "bearer\tx", "Bearer sk-é"]),
      ],
      ["anthropic-version", "2023-06-01"],
    ])
    draft.headers[name] = value
  }

  const queryPart = (draft: Draft): void => {
    const [name] = random.pick([
      ...draft.query,
      ["page", ""],
      ["page_size", ""],
      ["query", ""],
      ["id", ""],
    ])
    const value = random.pick([
      ...oddStrings.filter((text) => text.length < 1000),
      "1e9",
      "0",
      "-5",
    ])
    const others = random.chance(0.3)
      ? draft.query
      : draft.query.filter(([other]) => other !== name)
    draft.query = [...others, [name ?? "", value]]
    if (random.chance(0.05)) {
      draft.query = Array.from({ length: 2000 }, (_, at) => [`q${at}`, "1"])
    }
  }

  const pathPart = (draft: Draft): void => {
    draft.path = random.pick<() => string>([
      () => `${draft.path}/`,
      () => draft.path.replace(/\/([^/]+)$/, "//$1"),
      () => `${draft.path}/..`,
      () => `${draft.path}%00`,
      () => `${draft.path}%ff`,
      () => draft.path.replace(/[^/]+$/, "%2e%2e"),
      () =>
        draft.path.replace(
          /[^/]+$/,
          encodeURIComponent(random.pick(oddStrings).toWellFormed().slice(0, 3000)),
        ),
      () => draft.path.replace(/[^/]+$/, "%"),
      () => draft.path.toUpperCase(),
      () => `${draft.path};a=b`,
      () => `/${draft.path}`,
      () => `${draft.path}${"/a".repeat(800)}`,
      () => `${draft.path}/${"-".repeat(2000)}!`,
    ])()
  }

  const method = (draft: Draft): void => {
    draft.method = random.pick([
      "GET",
      "POST",
      "PUT",
      "PATCH",
      "DELETE",
      "HEAD",
      "OPTIONS",
      "TRACE",
    ])
  }

  return (draft: Draft): void => {
    const ways: ((draft: Draft) => void)[] = [queryPart, pathPart, method, header, contentType]
    if (draft.body !== undefined)
      ways.push(bodyMember, bodyMember, bodyMember, bodyMember, bodyBytes)
    if (draft.raw !== undefined) ways.push(bodyBytes, bodyBytes)
    random.pick(ways)(draft)
  }
}
