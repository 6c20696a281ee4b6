import { randomBytes } from "node:crypto"
import { adminKey } from "../test/harness/gateway.ts"
import type { TestGatewayProcess } from "../test/harness/test-gateway-process.ts"
import { holds, type Ledger, sha256 } from "./ledger.ts"

export const scimToken = "a-token-for-provisioning-under-kill-9"
const tus = { "tus-resumable": "1.0.0" }
const resumablePath = "/api/v1/files/resumable"
const pieceBytes = 20_000

export interface Writer {
  server: TestGatewayProcess
  ledger: Ledger
  /** @returns a number in [0, 1) */
  random: () => number
  /** @returns a unique name */
  name: () => string
  /** Counts failed writes by status. */
  refused: (status: number, what: string) => void
  /** Ids and paths created by earlier writes, for later ones to change. */
  made: { groups: string[]; chats: string[]; files: string[]; collections: string[] }
}

type Reply = Awaited<ReturnType<TestGatewayProcess["call"]>>
type Write = (writer: Writer) => Promise<void>

const isDone = (writer: Writer, reply: Reply, what: string): boolean => {
  if (reply.status < 300) return true
  writer.refused(reply.status, `${what}: ${reply.status} ${JSON.stringify(reply.body)}`)
  return false
}

const send = async (
  writer: Writer,
  what: string,
  ...args: Parameters<TestGatewayProcess["call"]>
) => {
  const reply = await writer.server.call(...args)
  return isDone(writer, reply, what) ? reply.body : null
}

const pick = <T>({ random }: Writer, from: readonly T[]): T | undefined =>
  from[Math.floor(random() * from.length)]

const makeAccount: Write = async (writer) => {
  const name = writer.name()
  const input = { name, email: `${name}@example.com`, password: "a password of this account" }
  const made = await send(writer, "account", "POST", "/api/v1/auths/add", input)
  if (!made) return
  const path = `/api/v1/users/${made.id}`
  writer.ledger.expect(path, { about: "an account", path, status: 200, wrong: holds(input.email) })
}

const makeKey: Write = async (writer) => {
  const { ledger } = writer
  const made = await send(writer, "key", "POST", "/api/v1/auths/api_keys", { name: writer.name() })
  if (!made) return
  const key: string = made.api_key
  const at = { path: "/api/v1/auths/", key }
  ledger.expect(key, { about: "a key", ...at, status: 200 })
  if (writer.random() < 0.5) return
  ledger.uncertain(key)
  const removed = await send(writer, "revocation", "DELETE", `/api/v1/auths/api_keys/${made.id}`)
  if (removed !== null) ledger.expect(key, { about: "a revoked key", ...at, status: 401 })
}

const makeGroup: Write = async (writer) => {
  const name = writer.name()
  const made = await send(writer, "group", "POST", "/api/v1/groups/create", { name })
  if (!made) return
  const path = `/api/v1/groups/${made.id}`
  writer.ledger.expect(path, { about: "a group", path, status: 200, wrong: holds(name) })
  writer.made.groups.push(made.id)
}

const changeGroup: Write = async (writer) => {
  const id = pick(writer, writer.made.groups)
  if (!id) return makeGroup(writer)
  const path = `/api/v1/groups/${id}`
  writer.ledger.uncertain(path)
  writer.made.groups = writer.made.groups.filter((known) => known !== id)
  if (writer.random() < 0.5) {
    const removed = await send(writer, "deletion", "DELETE", path)
    if (removed !== null)
      writer.ledger.expect(path, { about: "a deleted group", path, status: 404 })
    return
  }
  const description = writer.name()
  const changed = await send(writer, "change", "POST", `${path}/update`, { description })
  if (!changed) return
  writer.ledger.expect(path, {
    about: "a changed group",
    path,
    status: 200,
    wrong: holds(description),
  })
}

const makeChat: Write = async (writer) => {
  const input = { title: writer.name(), models: ["gpt-fake"] }
  const made = await send(writer, "chat", "POST", "/api/v1/chats/new", input)
  if (!made) return
  const path = `/api/v1/chats/${made.id}`
  writer.ledger.expect(path, { about: "a chat", path, status: 200, wrong: holds(input.title) })
  writer.made.chats.push(made.id)
}

const say: Write = async (writer) => {
  const id = pick(writer, writer.made.chats)
  if (!id) return makeChat(writer)
  const path = `/api/v1/chats/${id}`
  const content = writer.name()
  const started = await send(writer, "message", "POST", `${path}/messages`, { content })
  if (!started) return
  const about = "a message"
  writer.ledger.expect(`${path} ${content}`, { about, path, status: 200, wrong: holds(content) })
}

const bytesOf = (writer: Writer): Buffer => {
  const lines = 5 + Math.floor(writer.random() * 2000)
  return Buffer.from(`${writer.name()} was written about bees.\n`.repeat(lines))
}

const expectFile = ({ ledger, made }: Writer, id: string, bytes: Buffer): void => {
  const path = `/api/v1/files/${id}/content`
  ledger.expect(path, {
    about: "a file",
    path,
    status: 200,
    wrong: ({ text }) => (sha256(text) === sha256(bytes) ? null : "has other bytes"),
  })
  made.files.push(id)
}

const uploadFile: Write = async (writer) => {
  const bytes = bytesOf(writer)
  const form = new FormData()
  form.append("file", new Blob([new Uint8Array(bytes)]), `${writer.name()}.txt`)
  const response = await fetch(`${writer.server.url}/api/v1/files/`, {
    method: "POST",
    headers: { authorization: `Bearer ${adminKey}` },
    body: form,
  })
  const reply: Reply = { status: response.status, body: await response.json() }
  if (isDone(writer, reply, "upload")) expectFile(writer, reply.body.id, bytes)
}

const removeFile: Write = async (writer) => {
  const id = pick(writer, writer.made.files)
  if (!id) return uploadFile(writer)
  const path = `/api/v1/files/${id}/content`
  writer.ledger.uncertain(path)
  // Present if it was a resumable upload.
  writer.ledger.uncertain(`${resumablePath}/${id}`)
  writer.made.files = writer.made.files.filter((known) => known !== id)
  const removed = await send(writer, "removal", "DELETE", `/api/v1/files/${id}`)
  if (removed !== null) writer.ledger.expect(path, { about: "a removed file", path, status: 404 })
}

const ask = async (writer: Writer, path: string, init: RequestInit) => {
  const response = await fetch(writer.server.url + path, {
    ...init,
    headers: { authorization: `Bearer ${adminKey}`, ...tus, ...init.headers },
  })
  const reply = { status: response.status, body: await response.text() }
  return isDone(writer, reply, "piece") ? response.headers : null
}

/** Expects a minimum offset of a resumable upload. */
const expectOffset = ({ ledger }: Writer, address: string, least: number): void =>
  ledger.expect(address, {
    about: "a piece of an upload",
    path: address,
    status: 200,
    method: "HEAD",
    headers: tus,
    wrong: ({ headers }) => {
      const offset = Number(headers.get("upload-offset"))
      return offset >= least ? null : `is at offset ${offset}, but ${least} was acknowledged`
    },
  })

const uploadInPieces: Write = async (writer) => {
  const bytes = bytesOf(writer)
  const filename = Buffer.from(`${writer.name()}.txt`).toString("base64")
  const headers = {
    "upload-length": String(bytes.length),
    "upload-metadata": `filename ${filename}`,
  }
  const begun = await ask(writer, resumablePath, { method: "POST", headers })
  const address = begun?.get("location")
  if (!address) return
  expectOffset(writer, address, 0)
  for (let from = 0; from < bytes.length; from += pieceBytes) {
    const body = new Uint8Array(bytes.subarray(from, from + pieceBytes))
    const piece = {
      "upload-offset": String(from),
      "content-type": "application/offset+octet-stream",
    }
    const sent = await ask(writer, address, { method: "PATCH", headers: piece, body })
    if (!sent) return
    const offset = Number(sent.get("upload-offset"))
    expectOffset(writer, address, offset)
    if (offset === bytes.length) expectFile(writer, address.split("/").at(-1) ?? "", bytes)
  }
}

const makeCollection: Write = async (writer) => {
  const name = writer.name()
  const made = await send(writer, "collection", "POST", "/api/v1/knowledge/create", { name })
  if (!made) return
  const path = `/api/v1/knowledge/${made.id}`
  writer.ledger.expect(path, { about: "a collection", path, status: 200, wrong: holds(name) })
  writer.made.collections.push(path)
}

const addToCollection: Write = async (writer) => {
  const path = pick(writer, writer.made.collections)
  const file_id = pick(writer, writer.made.files)
  if (!path || !file_id) return makeCollection(writer)
  // Not deleted later: a deleted file would leave its collection.
  writer.made.files = writer.made.files.filter((id) => id !== file_id)
  const added = await send(writer, "member", "POST", `${path}/file/add`, { file_id })
  if (!added) return
  const files = `${path}/files?page_size=200`
  const about = "a file of a collection"
  const thing = `${path} ${file_id}`
  writer.ledger.expect(thing, { about, path: files, status: 200, wrong: holds(file_id) })
}

const makeFunction: Write = async (writer) => {
  const id = writer.name().replaceAll("-", "_")
  const content = `export const name = "${id}"\nexport const reply = async () => "1"\n`
  const input = { id, name: id, content }
  const made = await send(writer, "function", "POST", "/api/v1/functions/create", input)
  if (!made) return
  const path = `/api/v1/functions/id/${id}`
  writer.ledger.expect(path, { about: "a function", path, status: 200, wrong: holds(id) })
  if (writer.random() < 0.5) return
  writer.ledger.uncertain(path)
  const changed = { ...input, content: content.replace('"1"', '"2"') }
  const updated = await send(writer, "version", "POST", `${path}/update`, changed)
  if (!updated) return
  const wrong = holds('\\"2\\"')
  writer.ledger.expect(path, { about: "a function's version", path, status: 200, wrong })
}

const changeSettings: Write = async (writer) => {
  const path = "/api/v1/settings/"
  const usage_retention = 1_000_000 + Math.floor(writer.random() * 1_000_000)
  writer.ledger.uncertain(path)
  const changed = await send(writer, "setting", "POST", path, { usage_retention })
  const wrong = holds(String(usage_retention))
  if (changed) writer.ledger.expect(path, { about: "a setting", path, status: 200, wrong })
}

const provision: Write = async (writer) => {
  const base = "/api/v1/scim/v2"
  const userName = `${writer.name()}@example.com`
  const user = { schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"], userName, active: true }
  const made = await send(writer, "SCIM user", "POST", `${base}/Users`, user, scimToken)
  if (!made) return
  const path = `${base}/Users/${made.id}`
  const at = { path, status: 200, key: scimToken }
  writer.ledger.expect(path, { about: "a SCIM user", ...at, wrong: holds(userName) })
  if (writer.random() < 0.5) return
  writer.ledger.uncertain(path)
  const patch = {
    schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
    Operations: [{ op: "replace", value: { active: false } }],
  }
  const patched = await send(writer, "SCIM patch", "PATCH", path, patch, scimToken)
  const wrong = holds('"active":false')
  if (patched) writer.ledger.expect(path, { about: "a SCIM user's state", ...at, wrong })
}

/** Repetition sets the frequency; accounts are rare because password hashing is slow. */
export const mixedWrites: readonly Write[] = [
  ...[makeAccount, makeKey, makeKey, makeGroup, changeGroup, makeChat, say, say, say],
  ...[uploadFile, uploadFile, removeFile, uploadInPieces, uploadInPieces],
  ...[makeCollection, addToCollection, makeFunction, provision, provision],
]
export const settingsWrites: readonly Write[] = [changeSettings, makeGroup]

/** Random token that makes the content of each run unique. */
export const runId = (): string => randomBytes(4).toString("hex")
