import type { UpstreamRequest } from "@portico/http1"
import type { ConnectionAttempt } from "../../connections/connection-attempt.ts"
import type { Endpoint } from "../../connections/connection-registry.ts"
import { orderEndpoints } from "../../connections/load-balancing.ts"
import { Failure } from "../../errors.ts"
import { type AnswerOrigin, originKeyOf } from "../../formats/answer-origin.ts"
import type { ResolvedModel } from "../../models/catalogue.ts"
import { type ChatFormat, servesOperation } from "../../providers/provider.ts"
import type { ReportTokens } from "../../usage/token-counts.ts"
import type { CreateAnswerConverter } from "../conversion/answer-converter.ts"
import type { BodyOwner } from "../conversion/body-thread.ts"
import type { BodyWork } from "../conversion/body-work.ts"
import type { ClientConversion } from "../conversion/client-conversion.ts"
import { ConvertingReceiver } from "../conversion/converting-receiver.ts"
import type { DroppedFields } from "../conversion/dropped-fields.ts"
import { apiOperations } from "../operations/registry.ts"
import type { ModelRequest } from "../request/model-request.ts"
import type { UpstreamModel } from "../request/output-limit.ts"
import { serviceTierOf, toUpstreamRequest } from "../request/upstream-request.ts"

export interface AttemptContext {
  request: ModelRequest
  /** The client's request in its own format, for endpoints that speak it. */
  passThrough: ModelRequest | null
  /**
   * Set if `request` is a canonical prompt, with members that chat completions lack. Each attempt
   * sets where its answer comes from.
   */
  origin: AnswerOrigin | null
  resolved: ResolvedModel
  /** Client headers to forward. */
  headers: Record<string, string>
  dropped: DroppedFields | undefined
  /** Called with what a provider reports, in its own format. */
  reportTokens: ReportTokens
  owner: BodyOwner
  encode: BodyWork["encode"]
  createConverter: CreateAnswerConverter
  /** The client's format; null if it expects chat completions, or something else converts them. */
  client: ClientConversion | null
}

const upstreamOf = ({ connection, model }: Endpoint): UpstreamModel => ({
  name: model.name,
  outputField: connection.provider.outputField,
})

const noReport = (): void => {}

/** Null if the provider accepts the request's format. */
const chatFormatOf = ({ request }: AttemptContext, { connection }: Endpoint): ChatFormat | null =>
  request.operation.isChatCompletion ? connection.provider.chatFormat : null

/** The body for one connection, in its provider's format. @throws {Failure} */
const encodeBody = (context: AttemptContext, endpoint: Endpoint): Buffer | Promise<Buffer> => {
  const { request, origin, resolved, dropped, owner, encode } = context
  const { connection, model } = endpoint
  const { kind, base_url: baseUrl } = connection.config
  const chatFormat = chatFormatOf(context, endpoint)
  // Now rather than in the thread, which has a copy.
  if (origin) origin.key = chatFormat ? null : originKeyOf(baseUrl, model.name)
  const changed = toUpstreamRequest(request, resolved.workspace, upstreamOf(endpoint))
  if (!(chatFormat || origin)) return changed.toBytes()
  const report = dropped?.startAttempt() ?? noReport
  return encode(owner, changed, { kind, baseUrl, model }, report)
}

const passThroughBody = (
  passThrough: ModelRequest,
  { dropped }: AttemptContext,
  endpoint: Endpoint,
): Buffer => {
  dropped?.startUnchangedAttempt()
  return toUpstreamRequest(passThrough, [], upstreamOf(endpoint)).toBytes()
}

/** What a response passes on its way to the receiver; undefined if it passes unchanged. */
const converterOf = (context: AttemptContext, endpoint: Endpoint): ConnectionAttempt["convert"] => {
  const { owner, createConverter, client, dropped, reportTokens } = context
  const { connection, model } = endpoint
  const chatFormat = chatFormatOf(context, endpoint)
  const providerFormat = chatFormat && { kind: connection.config.kind, model }
  if (!(providerFormat || client)) return undefined
  return (receiver, share) => {
    const converter = createConverter(owner, { providerFormat, client, dropped, reportTokens })
    return new ConvertingReceiver(receiver, converter, share)
  }
}

/** Formats other than OpenAI's lose it. */
const requestedTierOf = (context: AttemptContext, endpoint: Endpoint): string | null =>
  chatFormatOf(context, endpoint)
    ? null
    : serviceTierOf(context.request, context.resolved.workspace)

const createAttempt = (context: AttemptContext, endpoint: Endpoint): ConnectionAttempt => {
  const { request, passThrough, headers } = context
  const { connection } = endpoint
  const { provider } = connection
  const passed = passThrough && connection.hasOperation(passThrough.operation) ? passThrough : null
  return {
    connection,
    usesModel: true,
    model: endpoint.model.name,
    serviceTier: passed ? serviceTierOf(passed, []) : requestedTierOf(context, endpoint),
    convert: passed ? undefined : converterOf(context, endpoint),
    request: () => {
      const toRequest = (body: Buffer): UpstreamRequest => ({
        method: "POST",
        path: provider.operationPath((passed ?? request).operation),
        headers: {
          ...headers,
          "user-agent": "Portico",
          ...connection.headers,
          "content-type": "application/json",
        },
        body,
      })
      const body = passed
        ? passThroughBody(passed, context, endpoint)
        : encodeBody(context, endpoint)
      return body instanceof Promise ? body.then(toRequest) : toRequest(body)
    },
  }
}

/** @throws {Failure} `bad_request` if no connection of the model supports the operation */
const findEndpoints = ({ operation }: ModelRequest, { id, endpoints }: ResolvedModel) => {
  const usable = endpoints.filter(({ connection }) => connection.hasOperation(operation))
  const [first] = endpoints
  if (usable.length > 0 || !first) return orderEndpoints(usable)
  const { provider } = first.connection
  const served = apiOperations.filter((one) => servesOperation(provider, one))
  const names = served.map(({ name }) => name).join(", ")
  const message = `Model "${id}" is offered by ${provider.label.text}, which only supports ${names}.`
  throw new Failure("bad_request", message, { param: "model" })
}

/** One attempt per endpoint of the model that can answer, in the order in which they are tried. */
export const createAttempts = (context: AttemptContext): ConnectionAttempt[] =>
  findEndpoints(context.request, context.resolved).map((endpoint) =>
    createAttempt(context, endpoint),
  )
