import type { UpstreamRequest } from "@portico/http1"
import type { Audit } from "../audit/audit.ts"
import type { ResponseRequest, TrackResponse } from "../completions/dispatch/response-tracker.ts"
import { limitedModelIds } from "../completions/request/measure-request.ts"
import { toServiceTier } from "../completions/request/upstream-request.ts"
import type { ResponseResult } from "../completions/response/response-consumer.ts"
import type { FairEventLoop } from "../concurrency/fair-event-loop.ts"
import type { Config } from "../config/config.ts"
import type { AttemptTarget } from "../connections/attempt-target.ts"
import type { Connection } from "../connections/connection.ts"
import type { ConnectionAttempt } from "../connections/connection-attempt.ts"
import type { ConnectionRegistry } from "../connections/connection-registry.ts"
import { orderEndpoints } from "../connections/load-balancing.ts"
import { sendWithFailover } from "../connections/send-with-failover.ts"
import type { Database } from "../db/database.ts"
import { fail } from "../errors.ts"
import { readJson } from "../http/body.ts"
import type { BodyMemory } from "../http/body-memory.ts"
import type { Actor, Caller } from "../http/caller.ts"
import { jsonLimitsFor } from "../http/json-object.ts"
import type { NodeRequestContext } from "../http/request-context.ts"
import { ResponseWriter } from "../http/response-writer.ts"
import type { AdmitRequest } from "../limits/admission/admission.ts"
import type { AdmittedRequest } from "../limits/admission/admitted-request.ts"
import { mayUseByKey } from "../models/access.ts"
import type { ModelCatalogue } from "../models/catalogue.ts"
import { isNamedByAlias } from "../models/claude-alias.ts"
import { type ProviderKind, providers } from "../providers/registry.ts"
import { findOllamaModel } from "./find-ollama-model.ts"
import { forwardedRequestHeaders } from "./forwarded-request-headers.ts"
import { mergeModelLists } from "./merge-model-lists.ts"
import { type NativeApi, ollamaApi, openaiApi } from "./native-apis.ts"
import { measureNative, toNativeBody } from "./native-output.ts"
import { NativeRelay } from "./native-relay.ts"
import { parseNativeRequest } from "./native-request.ts"
import { NativeUsageScanner } from "./native-usage-scanner.ts"
import { parseRequestTarget, rejectAmbiguousPath } from "./request-target.ts"

interface Deps {
  fairLoop: FairEventLoop
  bodyMemory: BodyMemory
  config: Config
  registry: ConnectionRegistry
  catalogue: ModelCatalogue
  admit: AdmitRequest
  trackResponse: TrackResponse
  db: Database
  audit: Audit
}

/** A request below a proxy's prefix, not yet classified. */
export interface NativeProxyRequest {
  context: NodeRequestContext
  caller: Caller
  actor: Actor
  /** The path and query below the prefix, exactly as sent. */
  target: string
}

/** @throws {Failure} `forbidden` unless the caller may change runtimes and providers */
const requireChangeAccess = ({ user, credential }: Caller, api: NativeApi): void => {
  if (user.role !== "admin") fail("forbidden", "Only administrators may change the runtime.")
  if (api.forbidsChanges(credential)) {
    fail("forbidden", "This API key is restricted and may not change runtimes or providers.")
  }
}

/** Forwards requests to the native APIs of runtimes and providers. */
export const createNativeProxy = (deps: Deps) => {
  const { fairLoop, bodyMemory, config, registry, catalogue, admit, trackResponse } = deps
  const { db, audit } = deps

  const connectionsOf = ({ kind, noun }: NativeApi): Connection[] => {
    const connections = registry
      .connections()
      .filter((connection) => connection.config.kind === kind)
    if (connections.length > 0) return connections
    const [variable] = providers[kind].variables.urls
    return fail("no_runtime", `No ${noun} is connected. Set ${variable} or add a connection.`)
  }

  /** Healthy connections first, otherwise in configured order. */
  const healthyFirst = (connections: readonly Connection[]): Connection[] =>
    [...connections].sort((a, b) => Number(a.isResting()) - Number(b.isResting()))

  const createAttempt = (
    { context, caller, target }: NativeProxyRequest,
    connection: Connection,
    body: UpstreamRequest["body"],
  ): ConnectionAttempt => {
    const { incoming } = context
    const { "content-length": length } = incoming.headers
    const streamed = body !== null && !Buffer.isBuffer(body)
    const headers = {
      ...forwardedRequestHeaders(incoming, caller),
      ...connection.headers,
      ...(streamed && length !== undefined && { "content-length": length }),
    }
    const { path, query } = parseRequestTarget(target)
    const request = { method: incoming.method ?? "GET", path: path + query, headers, body }
    return { connection, usesModel: false, model: null, serviceTier: null, request: () => request }
  }

  const relay = (
    { context, caller }: NativeProxyRequest,
    createAttempts: (admitted: AdmittedRequest | null) => readonly ConnectionAttempt[],
    { api, ...tracked }: { api: NativeApi; admit: ResponseRequest["admit"]; model?: string },
  ): Promise<ResponseResult> => {
    const consumer = new NativeRelay(context, api.errorStyle)
    const scanner = new NativeUsageScanner()
    return trackResponse({ ...tracked, caller, scanner, consumer }, ({ reader, admitted }) => {
      const attempts = createAttempts(admitted)
      const timeoutMs = attempts[0]?.connection.firstByteMs ?? 0
      const share = fairLoop.of(caller.user.id)
      const reserveAttempt = (target: AttemptTarget) => admitted?.reserveAttempt(target)
      reader.attach(sendWithFailover(attempts, reader, { timeoutMs, share, reserveAttempt }))
    })
  }

  /** The id of the model that the runtime uses for a name. */
  const modelNamed = ({ kind }: NativeApi, written: string): string =>
    kind === "ollama" ? findOllamaModel(registry, written) : written

  const nativeEndpointsOf = async (caller: Caller, kind: ProviderKind, model: string) => {
    const { id, endpoints, workspace } = await catalogue.resolve(caller, model)
    // A workspace model with its base's id restricts that model. Other workspace models and aliases
    // have no native equivalent.
    const native =
      !isNamedByAlias(model, id) && workspace.every(({ base_model_id, id }) => base_model_id === id)
    const matching = native
      ? endpoints.filter(({ connection }) => connection.config.kind === kind)
      : []
    if (matching.length === 0) fail("model_not_found", `model '${model}' not found`)
    return { id, workspace, endpoints: orderEndpoints(matching) }
  }

  const useModel = async (
    request: NativeProxyRequest,
    { api, name }: { api: NativeApi; name: string },
  ): Promise<void> => {
    const { context, caller } = request
    const { incoming } = context
    const bodyLimits = jsonLimitsFor(config.MAX_BODY_SIZE)
    const read = () => readJson(incoming, bodyLimits)
    const body = parseNativeRequest(await bodyMemory.read(context, bodyLimits.maxBytes, read))
    const model = modelNamed(api, body.model)
    context.model = model
    const usesModel = name !== "show"
    if (usesModel && catalogue.hasFilters(model)) {
      const message = `Model '${body.model}' has filters. Use /v1/chat/completions instead.`
      fail("forbidden", message)
    }
    const { id, workspace, endpoints } = await nativeEndpointsOf(caller, api.kind, model)
    const use = { operation: name, outputField: providers[api.kind].outputField }
    const createAttempts = (admitted: AdmittedRequest | null): ConnectionAttempt[] =>
      endpoints.map(({ connection, model: offered }) => {
        const prefix = connection.config.id_prefix
        const native = prefix === null ? body.model : body.model.slice(prefix.length + 1)
        const outputLimit = admitted?.outputLimit ?? null
        const bytes = toNativeBody(body, { ...use, model: native, outputLimit })
        return {
          ...createAttempt(request, connection, bytes),
          usesModel,
          model: offered.name,
          serviceTier: toServiceTier(body.fields.service_tier),
        }
      })
    const admitUse = () =>
      admit({
        context,
        caller,
        operation: name,
        model: id,
        streamed: body.streamed,
        prompt: body,
        modelIds: limitedModelIds({ id, workspace, endpoints }),
        endpoints,
        isNested: false,
        measure: () => measureNative(body, use),
      })
    await relay(request, createAttempts, { api, model, admit: usesModel ? admitUse : "unmetered" })
  }

  const sendList = async (
    { context, caller }: NativeProxyRequest,
    which: "tags" | "ps" | "models",
    connections: readonly Connection[],
  ): Promise<void> => {
    const reply = new ResponseWriter(context)
    const body = JSON.stringify(
      which === "models"
        ? { object: "list", data: listedBy(catalogue.list(caller), connections) }
        : await mergeModelLists(
            connections,
            which,
            (id) => mayUseByKey(caller, id) && catalogue.mayUse(caller, id),
          ),
    )
    const length = String(Buffer.byteLength(body))
    const type = "application/json; charset=utf-8"
    reply.head(200, ["content-type", type, "content-length", length])
    reply.end(body)
  }

  const listedBy = <T extends { id: string }>(
    models: T[],
    connections: readonly Connection[],
  ): T[] => {
    const upstreamSet = new Set(connections)
    const endpoints = registry.endpoints()
    return models.filter(({ id }) =>
      endpoints.get(id)?.some(({ connection }) => upstreamSet.has(connection)),
    )
  }

  const changeRuntime = async (
    request: NativeProxyRequest,
    { api, name }: { api: NativeApi; name: string },
  ): Promise<void> => {
    const { context, caller, actor } = request
    requireChangeAccess(caller, api)
    const { incoming } = context
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD"
    const [first] = healthyFirst(connectionsOf(api))
    if (!first) return
    const attempts = [createAttempt(request, first, hasBody ? incoming : null)]
    const { status } = await relay(request, () => attempts, { api, admit: "unmetered" })
    if (!hasBody) return
    void registry.refresh(0)
    const outcome = status >= 200 && status < 400 ? "success" : "failure"
    const target = { type: "connection", id: first.config.id }
    await db.transact((tx) =>
      audit.record(tx, { actor, action: `runtime.${name}`, target, outcome, status }),
    )
  }

  const createForward =
    (api: NativeApi) =>
    async (request: NativeProxyRequest): Promise<void> => {
      const { context, caller, target } = request
      const parsed = parseRequestTarget(target)
      const operation = api.classify(context.incoming.method ?? "GET", parsed.path)
      rejectAmbiguousPath(parsed, operation.kind === "look")
      const connections = connectionsOf(api)
      switch (operation.kind) {
        case "use":
          return useModel(request, { api, name: operation.name })
        case "list":
          return sendList(request, operation.list, connections)
        case "change":
          return changeRuntime(request, { api, name: operation.name })
        case "ask": {
          const attempts = healthyFirst(connections).map((connection) =>
            createAttempt(request, connection, null),
          )
          return void (await relay(request, () => attempts, { api, admit: "unmetered" }))
        }
        case "look": {
          const named = modelNamed(api, operation.model)
          const { endpoints } = await nativeEndpointsOf(caller, api.kind, named)
          const attempts = endpoints.map(({ connection, model }) => ({
            ...createAttempt(request, connection, null),
            model: model.name,
          }))
          return void (await relay(request, () => attempts, { api, admit: "unmetered" }))
        }
      }
    }

  return {
    ollama: createForward(ollamaApi),
    openai: createForward(openaiApi),
  }
}
