import { createHash, randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createS3Client, parseS3Url } from "../../src/files/s3-client.ts"
import { createS3ObjectStore } from "../../src/files/s3-object-store.ts"
import { createTestBackground } from "../harness/background.ts"
import { adminKey, startGateway, type TestGateway } from "../harness/gateway.ts"
import { findFreePort } from "../harness/ports.ts"
import { waitFor } from "../harness/usage-records.ts"
import { upload } from "../knowledge/collections.ts"
import { buildGoProgram, type Engine, startEngine } from "./install.ts"

const version = "v1.8.0"
const KB8 = 8 * 1024 * 1024
const keys = { id: "the-key", secret: "the/secret+" }
const bearer = { authorization: `Bearer ${adminKey}` }
const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

describe(`versitygw ${version}`, () => {
  let program = ""
  let port = 0
  let root = ""
  let engine: Engine

  const startStore = async (): Promise<void> => {
    engine = startEngine(program, ["--port", `127.0.0.1:${port}`, "posix", root], {
      env: { ROOT_ACCESS_KEY: keys.id, ROOT_SECRET_KEY: keys.secret },
    })
    await waitFor(
      () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => false,
        ),
      20_000,
    )
  }

  const urlOf = ({
    id = keys.id,
    secret = keys.secret,
    path = "files/of%20ours",
    region = "us-east-1",
  } = {}) => `http://${id}:${encodeURIComponent(secret)}@127.0.0.1:${port}/${path}?region=${region}`

  const start = async (env: Record<string, string> = {}): Promise<TestGateway> => {
    const gateway = await startGateway({ S3_URL: urlOf(), ...env })
    onTestFinished(async () => {
      await gateway.stop()
      rmSync(gateway.dataDir, { recursive: true, force: true })
    })
    return gateway
  }

  const filesBelow = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))

  const stored = (prefix = "of ours"): string[] => {
    const folder = join(root, "files", prefix)
    mkdirSync(folder, { recursive: true })
    return filesBelow(folder)
  }

  const content = (gateway: TestGateway, id: string, headers: Record<string, string> = {}) =>
    fetch(`${gateway.url}/api/v1/files/${id}/content`, { headers: { ...bearer, ...headers } })

  beforeAll(async () => {
    program = await buildGoProgram("github.com/versity/versitygw/cmd/versitygw", version, {
      CGO_ENABLED: "0",
    })
    root = mkdtempSync(join(tmpdir(), "portico-versitygw-"))
    mkdirSync(join(root, "files"))
    port = await findFreePort()
    await startStore()
  })
  afterAll(async () => {
    await engine.kill()
    rmSync(root, { recursive: true, force: true })
  })

  it.each([1, KB8 - 1, KB8, KB8 + 1, 2 * KB8, 3 * KB8 + 5])(
    "stores a file of %i bytes, returns it completely and in ranges, and removes it",
    async (size) => {
      const gateway = await start()
      const bytes = randomBytes(size)
      const { status, body } = await upload(gateway, "a.bin", bytes, { query: "?process=false" })
      expect(status).toBe(200)
      const [path = "", ...more] = stored()
      expect(more).toEqual([])
      expect(path).toMatch(new RegExp(`of ours/../../${sha256(bytes)}$`))
      expect(sha256(await readFile(path))).toBe(sha256(bytes))
      const whole = await content(gateway, body.id)
      expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes))
      const middle = Math.floor(size / 2)
      const part = await content(gateway, body.id, { range: `bytes=${middle}-${size - 1}` })
      expect(part.status).toBe(206)
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(middle))).toBe(true)
      const suffix = await content(gateway, body.id, { range: "bytes=-1" })
      expect(Buffer.from(await suffix.arrayBuffer()).equals(bytes.subarray(-1))).toBe(true)
      await gateway.call("DELETE", `/api/v1/files/${body.id}`)
      expect(stored()).toEqual([])
    },
  )

  it("holds documents that are processed and used for answers", async () => {
    const gateway = await start()
    const text = "The heron stands still until the fish forgets it."
    const query = "?process_in_background=false"
    const { body } = await upload(gateway, "heron.txt", text, { query })
    expect(body.data.status).toBe("completed")
    const found = await gateway.call("GET", `/api/v1/files/${body.id}/data/content`)
    expect(found.body.content).toContain("heron")
    await gateway.call("DELETE", `/api/v1/files/${body.id}`)
  })

  it("stores a tus upload in several pieces, one of them aborted", async () => {
    const gateway = await start()
    const bytes = Buffer.from(randomBytes(KB8).toString("hex"))
    const tus = { ...bearer, "tus-resumable": "1.0.0" }
    const created = await fetch(`${gateway.url}/api/v1/files/resumable`, {
      method: "POST",
      headers: {
        ...tus,
        "upload-length": String(bytes.length),
        "upload-metadata": `filename ${Buffer.from("a.txt").toString("base64")}`,
      },
    })
    const address = new URL(created.headers.get("location") ?? "", gateway.url).href
    for (let from = 0; from < bytes.length; from += 5_000_000) {
      const type = "application/offset+octet-stream"
      const sent = await fetch(address, {
        method: "PATCH",
        headers: { ...tus, "upload-offset": String(from), "content-type": type },
        body: new Uint8Array(bytes.subarray(from, from + 5_000_000)),
      })
      expect(sent.status).toBe(204)
    }
    const id = address.split("/").at(-1) ?? ""
    const whole = await content(gateway, id)
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes))
    await gateway.call("DELETE", `/api/v1/files/${id}`)
    expect(stored()).toEqual([])
  })

  it("stores files under a prefix with special characters", async () => {
    const prefix = "ünï cödé/+&=@:'(x)*!~;,$/東京"
    const path = `files/${prefix.split("/").map(encodeURIComponent).join("/")}`
    const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    const first = await startGateway({ S3_URL: urlOf({ path }), DATA_DIR: dataDir })
    const { body } = await upload(first, "a.bin", "odd", { query: "?process=false" })
    expect(stored(prefix)).toHaveLength(1)
    await first.stop()
    const second = await start({ S3_URL: urlOf({ path }), DATA_DIR: dataDir })
    expect(await (await content(second, body.id)).text()).toBe("odd")
    await second.call("DELETE", `/api/v1/files/${body.id}`)
    expect(stored(prefix)).toEqual([])
  })

  it.each([
    ["a wrong secret", { secret: "wrong" }, "403 (SignatureDoesNotMatch)"],
    ["an unknown key", { id: "nobody" }, "404 (XAdminUserNotFound)"],
    ["a missing bucket", { path: "nowhere/x" }, "404 (NoSuchBucket)"],
    ["a wrong region", { region: "eu-west-9" }, "400 (AuthorizationHeaderMalformed)"],
  ])("rejects uploads with %s, with an error that says so", async (_what, wrong, words) => {
    const gateway = await start({ S3_URL: urlOf(wrong) })
    const refused = await upload(gateway, "a.bin", "bytes", { query: "?process=false" })
    expect(refused.status).toBe(503)
    expect(refused.body.detail).toContain(words)
    expect(JSON.stringify(refused.body)).not.toContain(keys.secret)
    expect((await gateway.call("GET", "/api/v1/files")).body.total).toBe(0)
    expect(readdirSync(join(gateway.dataDir, "uploads"))).toEqual([])
  })

  it("never causes a file to be reported as missing because of wrong keys", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    const before = await startGateway({ S3_URL: urlOf(), DATA_DIR: dataDir })
    const { body } = await upload(before, "a.bin", "there", { query: "?process=false" })
    await before.stop()
    for (const wrong of [{ id: "nobody" }, { secret: "wrong" }, { path: "nowhere/x" }]) {
      const gateway = await startGateway({ S3_URL: urlOf(wrong), DATA_DIR: dataDir })
      const reply = await content(gateway, body.id)
      expect([reply.status, await reply.text()]).toEqual([
        503,
        expect.stringContaining("The object store returned HTTP 40"),
      ])
      await gateway.stop()
    }
    const after = await start({ DATA_DIR: dataDir })
    await after.call("DELETE", `/api/v1/files/${body.id}`)
  })

  it("fails an upload with 503 if it is killed during it, and accepts it afterwards", async () => {
    const gateway = await start()
    const bytes = randomBytes(12 * KB8)
    const sending = upload(gateway, "a.bin", bytes, { query: "?process=false" })
    const parts = (): number => filesBelow(root).filter((path) => path.includes("multipart")).length
    await waitFor(() => parts() > 2, 60_000)
    await engine.kill("SIGKILL")
    const refused = await sending
    expect(refused.status).toBe(503)
    expect(refused.body.detail).toContain("The object store cannot be reached")
    expect(readdirSync(join(gateway.dataDir, "uploads"))).toEqual([])
    await startStore()
    const taken = await upload(gateway, "a.bin", bytes, { query: "?process=false" })
    expect(taken.status).toBe(200)
    const whole = await content(gateway, taken.body.id)
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes))
    await gateway.call("DELETE", `/api/v1/files/${taken.body.id}`)
    expect(stored()).toEqual([])
  })

  it("aborts a download if it is killed during it, instead of ending it normally", async () => {
    const gateway = await start()
    const bytes = randomBytes(12 * KB8)
    const { body } = await upload(gateway, "a.bin", bytes, { query: "?process=false" })
    const reply = await content(gateway, body.id)
    const reader = reply.body?.getReader()
    await reader?.read()
    await engine.kill("SIGKILL")
    const rest = async (): Promise<void> => {
      while (reader && !(await reader.read()).done);
    }
    await expect(rest()).rejects.toThrow()
    const away = await content(gateway, body.id)
    expect(away.status).toBe(503)
    await startStore()
    const whole = await content(gateway, body.id)
    expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(sha256(bytes))
    await gateway.call("DELETE", `/api/v1/files/${body.id}`)
  })

  it("is cleared of orphaned objects at the gateway's start, page by page, and of nothing else", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    const gateway = await startGateway({ S3_URL: urlOf(), DATA_DIR: dataDir })
    const { body } = await upload(gateway, "kept.bin", "kept", { query: "?process=false" })
    await gateway.stop()
    const write = (path: string): void => {
      mkdirSync(dirname(join(root, "files", path)), { recursive: true })
      writeFileSync(join(root, "files", path), "x")
    }
    for (let at = 0; at < 1200; at++) {
      const hash = sha256(Buffer.from(String(at)))
      write(`of ours/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash}`)
    }
    const orphans = async (): Promise<number> =>
      (await readdir(join(root, "files/of ours"))).length - 3
    const foreign = ["of others/ab/cd/x", "of ours/notes & <thoughts>/ü+é.txt", "of ours/ab/README"]
    for (const path of foreign) write(path)
    const repeated = await start({ DATA_DIR: dataDir })
    const kept = 1 + foreign.length - 1
    // Polled slowly, because polling blocks the gateway, which runs in this process.
    for (let tries = 0; tries < 120 && (await orphans()) > 0; tries++) await sleep(500)
    expect(stored()).toHaveLength(kept)
    expect(await (await content(repeated, body.id)).text()).toBe("kept")
    await repeated.call("DELETE", `/api/v1/files/${body.id}`)
    rmSync(join(root, "files/of ours"), { recursive: true })
    rmSync(join(root, "files/of others"), { recursive: true })
  })

  it("is cleared of unfinished multipart uploads after a day", async () => {
    const client = createS3Client(parseS3Url(urlOf()))
    onTestFinished(() => client.close())
    const begin = (key: string) => client.text({ method: "POST", key, query: { uploads: "" } })
    await begin("ab/cd/young")
    const listed = () => client.text({ method: "GET", query: { uploads: "", prefix: "of ours/" } })
    const before = filesBelow(root).concat(foldersBelow(root))
    await begin("ab/cd/old")
    const created = foldersBelow(root).filter((path) => !before.includes(path))
    const longAgo = Date.now() / 1000 - 200_000
    for (const path of created) utimesSync(path, longAgo, longAgo)
    expect(await listed()).toContain("ab/cd/old")
    const dataDir = mkdtempSync(join(tmpdir(), "portico-"))
    const objects = createS3ObjectStore({
      url: urlOf(),
      dataDir,
      background: createTestBackground(),
    })
    await objects.sweep(true)
    await objects.close()
    const left = await listed()
    expect([left.includes("ab/cd/old"), left.includes("ab/cd/young")]).toEqual([false, true])
  })

  const foldersBelow = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ parentPath, name }) => join(parentPath, name))
})
