import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { buffer } from "node:stream/consumers"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type FakeS3, startFakeS3 } from "../../test/fakes/s3.ts"
import { createTestBackground } from "../../test/harness/background.ts"
import { createDiskObjectStore } from "./disk-object-store.ts"
import type { ObjectStore, ReceiveHooks } from "./object-store.ts"
import { createS3ObjectStore } from "./s3-object-store.ts"
import { signHeaders } from "./s3-signature.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const anything: ReceiveHooks = { onHead: () => {}, onSize: () => {} }
const pieces = (bytes: Buffer): Readable =>
  Readable.from(
    Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) =>
      bytes.subarray(at * 1000, at * 1000 + 1000),
    ),
  )

const all = async (objects: ObjectStore): Promise<string[]> => {
  const hashes: string[] = []
  for await (const hash of objects.list()) hashes.push(hash)
  return hashes
}

let dataDir = ""
const background = createTestBackground()
let s3: FakeS3
beforeAll(async () => {
  s3 = await startFakeS3()
})
afterAll(() => s3.close())

const kinds = [
  { name: "the disk", open: (): ObjectStore => createDiskObjectStore({ dataDir, background }) },
  {
    name: "S3",
    open: (): ObjectStore => createS3ObjectStore({ url: s3.url, dataDir, background }),
  },
]

describe.each(kinds)("objects on $name", ({ open }) => {
  let objects: ObjectStore
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    s3.objects.clear()
    s3.setFault(null)
    objects = open()
    return async () => {
      await objects.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  const listed = () => all(objects)
  const kept = async (bytes: Buffer): Promise<string> => {
    const received = await objects.receive(pieces(bytes), anything)
    await received.prepare()
    await received.commit()
    await received.discard()
    return received.hash
  }

  it.each([1, 5000, 20_000_000])("returns %i bytes, whole and in ranges", async (size) => {
    const bytes = randomBytes(size)
    const hash = await kept(bytes)
    expect(hash).toBe(sha256(bytes))
    const whole = await objects.read(hash)
    expect(whole && sha256(await buffer(whole))).toBe(hash)
    const range = { start: Math.floor(size / 2), end: size - 1 }
    const part = await objects.read(hash, range)
    expect(part && (await buffer(part)).equals(bytes.subarray(range.start))).toBe(true)
    const copy = await objects.localCopy(hash)
    expect(copy && sha256(readFileSync(copy.path))).toBe(hash)
    await copy?.release()
    expect(readdirSync(join(dataDir, "uploads"))).toEqual([])
  })

  it("stores each content once, under its hash, until it is removed", async () => {
    const hashes = await Promise.all(
      ["a", "b", "a", "c", "d"].map((text) => kept(Buffer.from(text))),
    )
    expect((await listed()).toSorted()).toEqual([...new Set(hashes)].toSorted())
    const [hash = ""] = hashes
    await objects.remove(hash)
    await objects.remove(hash)
    expect(await listed()).not.toContain(hash)
    expect(await objects.read(hash)).toBeNull()
    expect(await objects.localCopy(hash)).toBeNull()
  })

  it("stores content again that was removed in between", async () => {
    const received = await objects.receive(pieces(Buffer.from("Bees dance.")), anything)
    await received.prepare()
    await received.commit()
    await objects.remove(received.hash)
    await received.commit()
    await received.discard()
    expect(await listed()).toEqual([received.hash])
  })

  it("keeps nothing of a discarded, rejected or interrupted upload", async () => {
    await (await objects.receive(pieces(randomBytes(9000)), anything)).discard()
    const refusing: ReceiveHooks = {
      onHead: () => {
        throw new Error("no")
      },
      onSize: () => {},
    }
    await expect(objects.receive(pieces(randomBytes(9000)), refusing)).rejects.toThrow("no")
    const broken = Readable.from(
      (async function* () {
        yield Buffer.from("some")
        throw new Error("gone")
      })(),
    )
    await expect(objects.receive(broken, anything)).rejects.toThrow("gone")
    expect(await listed()).toEqual([])
    expect(readdirSync(join(dataDir, "uploads"))).toEqual([])
  })

  it("stores a file on the local disk, and leaves it in place", async () => {
    const path = join(dataDir, "partial")
    writeFileSync(path, "Bees dance.")
    const received = await objects.receiveFile(path)
    expect(received).toMatchObject({ hash: sha256(Buffer.from("Bees dance.")), size: 11 })
    await received.commit()
    await received.discard()
    expect(await listed()).toEqual([received.hash])
    expect(existsSync(path)).toBe(true)
  })
})

describe("an object store that fails", () => {
  let objects: ObjectStore
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    s3.objects.clear()
    s3.setFault(null)
    objects = createS3ObjectStore({ url: s3.url, dataDir, background })
    return async () => {
      await objects.close()
      rmSync(dataDir, { recursive: true, force: true })
    }
  })

  it("is retried when it is busy or closes the connection", async () => {
    const answers = [503, 0, 500]
    s3.setFault(() => answers.shift() ?? null)
    const received = await objects.receive(pieces(Buffer.from("Bees.")), anything)
    await received.commit()
    expect(await all(objects)).toEqual([received.hash])
  })

  it("leaves no parts behind", async () => {
    const received = await objects.receive(pieces(randomBytes(18_000_000)), anything)
    s3.setFault((_request, url) => (url.searchParams.get("partNumber") === "2" ? 403 : null))
    await expect(received.commit()).rejects.toThrow("The object store returned HTTP 403 (SlowDown)")
    expect([s3.uploads.size, s3.objects.size]).toEqual([0, 0])
  })

  it("has abandoned multipart uploads removed after a day", async () => {
    const upload = { parts: new Map<number, Buffer>(), initiated: new Date().toISOString() }
    const old = new Date(Date.now() - 90_000_000).toISOString()
    s3.uploads.set("new", { ...upload, key: "of ours/aa/bb/new" })
    s3.uploads.set("old", { ...upload, key: "of ours/aa/bb/old", initiated: old })
    s3.uploads.set("foreign", { ...upload, key: "elsewhere/old", initiated: old })
    await objects.sweep(true)
    expect([...s3.uploads.keys()]).toEqual(["new", "foreign"])
    s3.uploads.clear()
  })

  it("is reported without revealing credentials", async () => {
    s3.setFault(() => 403)
    const error = await objects.remove("ab".repeat(32)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "unavailable" })
    expect(JSON.stringify([String(error), error])).not.toContain("secret")
  })
})

it("signs like the example in the Signature Version 4 documentation", () => {
  const { authorization } = signHeaders(
    {
      method: "GET",
      path: "/test.txt",
      query: {},
      headers: { host: "examplebucket.s3.amazonaws.com", range: "bytes=0-9" },
      payload: createHash("sha256").digest("hex"),
      date: new Date("2013-05-24T00:00:00Z"),
    },
    {
      id: "AKIAIOSFODNN7EXAMPLE",
      secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1",
    },
  )
  expect(authorization).toContain(
    "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  )
})
