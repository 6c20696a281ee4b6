import type { Audit } from "../audit/audit.ts"
import { withdrawn } from "../completions/dispatch.ts"
import type { Config } from "../config/config.ts"
import type { Upstream } from "../connections/connection.ts"
import { inOrderOfChoice } from "../connections/load-balancing.ts"
import type { Registry } from "../connections/registry.ts"
import { type Attempt, send } from "../connections/send.ts"
import type { Database } from "../db/database.ts"
import { Failure, fail } from "../errors.ts"
import { readJson } from "../http/body.ts"
import type { BodyRoom } from "../http/body-memory.ts"
import type { Actor, Caller } from "../http/caller.ts"
import type { ErrorStyle } from "../http/errors.ts"
import type { Running } from "../http/in-flight-requests.ts"
import { limitsFor } from "../http/json-object.ts"
import type { NodeExchange } from "../http/request-context.ts"
import { createReply } from "../http/response-writer.ts"
import type { FairLoop } from "../limits/fair-loop.ts"
import type { Catalogue } from "../models/catalogue.ts"
import type { UpstreamRequest } from "../outbound/client.ts"
import type { Kind } from "../providers/provider.ts"
import type { Meter, Meters } from "../usage/usage-recorder.ts"
import { requireChangeAccess } from "./change-access.ts"
import { mergedListing } from "./merged-list.ts"
import { type NativeRequest, readNative, renamed } from "./native-request.ts"
import { type NativeOperation, ollamaOperation, openaiOperation } from "./operations.ts"
import { Pass } from "./relay.ts"
import { forwardedRequestHeaders } from "./request-headers.ts"
import { readTarget, refuseAmbiguous } from "./request-target.ts"

interface Deps {
  fairLoop: FairLoop
  bodyRoom: BodyRoom
  config: Config
  registry: Registry
  catalogue: Catalogue
  meters: Meters
  running: Running
  db: Database
  audit: Audit
}

/** A request below a proxy's prefix, not yet classified. */
export interface Proxied {
  exchange: NodeExchange
  caller: Caller
  actor: Actor
  /** The path and query below the prefix, exactly as sent. */
  target: string
}

/** Forwards requests to the native APIs of runtimes and providers. */
export const createRuntime = (deps: Deps) => {
  const { fairLoop, bodyRoom, config, registry, catalogue, meters, running, db, audit } = deps

  const connected = (kind: Kind): Upstream[] => {
    const upstreams = registry.upstreams().filter((upstream) => upstream.config.kind === kind)
    if (upstreams.length > 0) return upstreams
    const variable = kind === "ollama" ? "OLLAMA_BASE_URLS" : "OPENAI_API_BASE_URLS"
    const what = kind === "ollama" ? "model runtime" : "OpenAI-style provider"
    return fail("no_runtime", `No ${what} is connected. Set ${variable} or add a connection.`)
  }

  /** Healthy connections first, otherwise in configured order. */
  const anyOf = (upstreams: readonly Upstream[]): Upstream[] =>
    [...upstreams].sort((a, b) => Number(a.resting()) - Number(b.resting()))

  const attempt = (
    { exchange, target }: Proxied,
    upstream: Upstream,
    body: UpstreamRequest["body"],
  ): Attempt => {
    const { incoming } = exchange
    const { "content-length": length } = incoming.headers
    const streamed = body !== null && !Buffer.isBuffer(body)
    const headers = {
      ...forwardedRequestHeaders(incoming),
      ...upstream.headers,
      ...(streamed && length !== undefined && { "content-length": length }),
    }
    const { path, query } = readTarget(target)
    const request = { method: incoming.method ?? "GET", path: path + query, headers, body }
    return { upstream, usesModel: false, request: () => request }
  }

  const carry = (
    { exchange, caller }: Proxied,
    attempts: readonly Attempt[],
    { style, begin, model }: { style: ErrorStyle; begin?: () => Meter; model?: string },
  ): Promise<number> =>
    new Promise((resolve, reject) => {
      const failed = (error: unknown): void => {
        leave()
        reject(error)
      }
      // `enter` may throw. It calls none of these callbacks before the current tick ends.
      const leave = running.enter(caller, {
        revoke: () =>
          pass.stop(
            "revoked",
            new Failure("unauthorized", "The credential used for this request was revoked."),
          ),
        shutDown: () =>
          pass.stop(
            "shut_down",
            new Failure("shutting_down", "The gateway is shutting down. Retry the request."),
          ),
        ...(model !== undefined && {
          withdrawal: {
            isDue: (present) => catalogue.isWithdrawn(present, model),
            end: () => pass.stop("revoked", withdrawn(model)),
          },
        }),
      })
      const pass = new Pass({
        reply: createReply(exchange),
        style,
        meter: begin?.() ?? null,
        over: (status, failure) => {
          if (failure) exchange.failure = failure
          leave()
          resolve(status)
        },
      })
      const withinMs = attempts[0]?.upstream.firstByteMs ?? 0
      const share = fairLoop.of(caller.user.id)
      pass.follow(send(attempts, pass, { withinMs, share, failed }))
    })

  const offersFor = async (caller: Caller, kind: Kind, model: string) => {
    const { id, offers, workspace } = await catalogue.resolve(caller, model)
    // A workspace model with its base's id restricts that model. Other workspace models have no
    // native equivalent.
    const native = workspace.every(({ base_model_id, id }) => base_model_id === id)
    const held = native ? offers.filter(({ upstream }) => upstream.config.kind === kind) : []
    if (held.length === 0) fail("model_not_found", `model '${model}' not found`)
    return { id, offers: held }
  }

  const use = async (
    proxied: Proxied,
    { kind, style, name }: { kind: Kind; style: ErrorStyle; name: string },
  ): Promise<void> => {
    const { exchange, caller } = proxied
    const { incoming } = exchange
    const bodyLimits = limitsFor(config.MAX_BODY_SIZE)
    const read = () => readJson(incoming, bodyLimits)
    const native = readNative(await bodyRoom.read(exchange, bodyLimits.maxBytes, read))
    exchange.model = native.model
    if (name !== "show" && catalogue.filtered(native.model)) {
      const message = `Model '${native.model}' has filters. Use /v1/chat/completions instead.`
      fail("forbidden", message)
    }
    const { id, offers } = await offersFor(caller, kind, native.model)
    const bodyFor = (upstream: Upstream): Buffer => {
      const prefix = upstream.config.id_prefix
      if (prefix === null) return native.bytes
      return renamed(native, native.model.slice(prefix.length + 1))
    }
    const attempts = inOrderOfChoice(offers).map(({ upstream }) => ({
      ...attempt(proxied, upstream, bodyFor(upstream)),
      usesModel: name !== "show",
    }))
    const metered =
      name === "show" ? {} : { begin: () => meterFor(proxied, { ...native, model: id }, name) }
    await carry(proxied, attempts, { style, ...metered, model: native.model })
  }

  const meterFor = ({ exchange, caller }: Proxied, native: NativeRequest, name: string): Meter =>
    meters.begin({
      exchange,
      caller,
      operation: name,
      model: native.model,
      streamed: native.streamed,
      promptBytes: native.bytes.length,
    })

  const list = async (
    { exchange, caller }: Proxied,
    which: "tags" | "ps" | "models",
    upstreams: readonly Upstream[],
  ): Promise<void> => {
    const reply = createReply(exchange)
    const body = JSON.stringify(
      which === "models"
        ? { object: "list", data: ofThese(catalogue.list(caller), upstreams) }
        : await mergedListing(upstreams, which, (id) => catalogue.mayUseNative(caller, id)),
    )
    const length = String(Buffer.byteLength(body))
    const type = "application/json; charset=utf-8"
    reply.head(200, ["content-type", type, "content-length", length])
    reply.end(body)
  }

  const ofThese = <T extends { id: string }>(models: T[], upstreams: readonly Upstream[]): T[] => {
    const theirs = new Set(upstreams)
    const offers = registry.offers()
    return models.filter(({ id }) => offers.get(id)?.some(({ upstream }) => theirs.has(upstream)))
  }

  const change = async (
    proxied: Proxied,
    { kind, style, name }: { kind: Kind; style: ErrorStyle; name: string },
  ): Promise<void> => {
    const { exchange, caller, actor } = proxied
    requireChangeAccess(caller, kind)
    const { incoming } = exchange
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD"
    const [first] = anyOf(connected(kind))
    if (!first) return
    const attempts = [attempt(proxied, first, hasBody ? incoming : null)]
    const status = await carry(proxied, attempts, { style })
    if (!hasBody) return
    void registry.refresh(0)
    const outcome = status >= 200 && status < 400 ? "success" : "failure"
    const target = { type: "connection", id: first.config.id }
    await db.transact((tx) =>
      audit.record(tx, { actor, action: `runtime.${name}`, target, outcome, status }),
    )
  }

  const through =
    (kind: Kind, style: ErrorStyle, classify: (method: string, path: string) => NativeOperation) =>
    async (proxied: Proxied): Promise<void> => {
      const { exchange, caller, target } = proxied
      const read = readTarget(target)
      const operation = classify(exchange.incoming.method ?? "GET", read.path)
      refuseAmbiguous(read, operation.kind === "look")
      const upstreams = connected(kind)
      switch (operation.kind) {
        case "use":
          return use(proxied, { kind, style, name: operation.name })
        case "list":
          return list(proxied, operation.list, upstreams)
        case "change":
          return change(proxied, { kind, style, name: operation.name })
        case "ask": {
          const attempts = anyOf(upstreams).map((upstream) => attempt(proxied, upstream, null))
          return void (await carry(proxied, attempts, { style }))
        }
        case "look": {
          const { offers } = await offersFor(caller, kind, operation.model)
          const attempts = inOrderOfChoice(offers).map(({ upstream }) =>
            attempt(proxied, upstream, null),
          )
          return void (await carry(proxied, attempts, { style }))
        }
      }
    }

  return {
    /** Ollama's native API. */
    native: through("ollama", "runtime", ollamaOperation),
    /** The OpenAI API of OpenAI-style connections. */
    openai: through("openai", "openai", openaiOperation),
  }
}
