import { HostCallError } from "@portico/sandbox"
import { z } from "zod"
import { Failure } from "../errors.ts"
import type { GuardedFetch } from "../outbound/guarded-fetch.ts"
import { SsrfGuardError } from "../outbound/ssrf-guard.ts"
import { allowsHost } from "./allowed-hosts.ts"
import type { HostServices, RequestOrigin } from "./host-services.ts"
import type { KeyValueStore } from "./key-value-store.ts"
import { createModelCalls, toHostCallError } from "./model-calls.ts"

const fetchMs = 60_000
const maxFetchedBytes = 5_000_000

const KeyArgs = z.object({ key: z.string() })
const ModelCallArgs = z.object({ request: z.looseObject({}) })
const StreamArgs = z.object({ stream: z.number() })
const SearchArgs = z.object({
  collections: z.array(z.string().max(200)).min(1).max(50),
  query: z.string().max(10_000),
  options: z.object({ limit: z.int().min(1).max(50).default(8) }).optional(),
})
const FetchArgs = z.object({
  url: z.string().max(8000),
  init: z
    .object({
      method: z.string().default("GET"),
      headers: z.record(z.string(), z.string()).default({}),
      body: z.string().nullable().default(null),
    })
    .optional(),
})

/** Headers that the gateway's HTTP client sets itself; functions cannot override them. */
const reservedHeaders =
  /^(host|connection|content-length|transfer-encoding|accept-encoding|expect|te|trailer|upgrade|keep-alive|proxy-.*)$/
const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]+$/
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]

const headersOf = (requestHeaders: Record<string, string>): Record<string, string> => {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(requestHeaders)) {
    const folded = name.toLowerCase()
    if (!headerName.test(folded) || /[\r\n\0]/.test(value)) {
      throw new HostCallError(`Header "${name}" has an invalid name or value`)
    }
    if (!reservedHeaders.test(folded)) headers[folded] = value
  }
  return headers
}

const parseFetch = (args: unknown) => {
  const { url, init } = FetchArgs.parse(args)
  const { method = "GET", headers = {}, body = null } = init ?? {}
  if (!URL.canParse(url)) throw new HostCallError(`"${url.slice(0, 200)}" is not a valid URL`)
  if (!methods.includes(method.toUpperCase()))
    throw new HostCallError(`Method ${method} is not supported`)
  return { url: new URL(url), method: method.toUpperCase(), headers: headersOf(headers), body }
}

interface Deps {
  hostServices: () => HostServices
  keyValues: KeyValueStore
  guardedFetch: GuardedFetch
}

export interface HostCallScope extends RequestOrigin {
  functionId: string
  hosts: readonly string[]
  signal: AbortSignal
}

const describeError = (error: unknown): unknown => {
  if (error instanceof SsrfGuardError) return new HostCallError(error.message)
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    const path = issue?.path.join(".")
    return new HostCallError(`${path}: ${issue?.message}`, {
      code: "invalid",
      status: 422,
      denied: false,
    })
  }
  return error instanceof Failure ? toHostCallError(error) : error
}

/** The host side of `context` for one run, with the permissions of the calling user. */
export const createHostCalls = (
  { hostServices, keyValues, guardedFetch }: Deps,
  scope: HostCallScope,
) => {
  const { functionId, hosts, signal, caller } = scope
  const services = hostServices()
  const calls = createModelCalls(services, {
    ...scope,
    callingFunctions: [...scope.callingFunctions, functionId],
  })
  signal.addEventListener("abort", calls.cancelAll)

  const fetchUrl = async (args: unknown) => {
    const request = parseFetch(args)
    try {
      return await guardedFetch({
        ...request,
        allows: (to) => allowsHost(hosts, to),
        signal,
        timeoutMs: fetchMs,
        maxBytes: maxFetchedBytes,
      })
    } catch (error) {
      if (error instanceof SsrfGuardError) throw error
      const reason = error instanceof Error ? error.message : "could not be reached"
      const unreachable = { code: "unreachable", status: 502, denied: false }
      throw new HostCallError(`${request.url.host}: ${reason}`, unreachable)
    }
  }

  const operations: Readonly<Record<string, (args: unknown) => unknown>> = {
    fetch: fetchUrl,
    chat: (args) => calls.complete(ModelCallArgs.parse(args).request),
    "chat.open": (args) => calls.openStream(ModelCallArgs.parse(args).request),
    "chat.next": (args) => calls.readStream(StreamArgs.parse(args).stream),
    "chat.close": (args) => calls.closeStream(StreamArgs.parse(args).stream),
    embed: (args) => calls.embed(ModelCallArgs.parse(args).request),
    search: (args) => {
      const { collections, query, options } = SearchArgs.parse(args)
      const limit = options?.limit ?? 8
      return services.search(caller, { collections, query, limit, signal })
    },
    "files.list": () => services.files.list(caller),
    "files.text": (args) =>
      services.files.text(caller, z.object({ id: z.string().max(200) }).parse(args).id),
    "store.get": (args) => keyValues.get(functionId, KeyArgs.parse(args).key),
    "store.set": (args) => {
      const { key, value } = KeyArgs.extend({ value: z.unknown().optional() }).parse(args)
      return keyValues.set(functionId, key, value)
    },
    "store.delete": (args) => keyValues.remove(functionId, KeyArgs.parse(args).key),
    "store.keys": (args) =>
      keyValues.keys(functionId, z.object({ prefix: z.string().max(200) }).parse(args).prefix),
  }

  /** @throws {HostCallError} */
  return async (name: string, args: unknown): Promise<unknown> => {
    const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
    if (!operation) throw new HostCallError(`Unknown operation "${name}"`)
    try {
      return await operation(args)
    } catch (error) {
      throw describeError(error)
    }
  }
}
