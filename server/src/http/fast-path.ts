import { createFastPathServer, type FastPathRequest } from "@portico/http1"
import { reportUnhandled } from "../errors.ts"
import { clientDisconnected } from "./body.ts"
import { BodyBuffer, type BodyLimits, type JsonBody } from "./body-buffer.ts"
import type { ConnectionLimit } from "./connection-limit.ts"
import { type ErrorStyle, toFailure } from "./failure-response.ts"
import type { HostCheck } from "./host-check.ts"
import {
  createRequestContext,
  type RequestContext,
  type RequestContextDeps,
} from "./request-context.ts"
import { ResponseWriter } from "./response-writer.ts"

/**
 * Reads a request's whole body; call it once. Synchronous if the body has already arrived.
 * @throws {Failure} `body_too_large`, `invalid_json` or `bad_request`, as early as possible
 */
export type ReadBody = (limits: BodyLimits) => JsonBody | Promise<JsonBody>

/** A route whose path has no parameters and whose handler writes the response itself. */
export interface FastPathRoute {
  /** In upper case. */
  method: string
  path: string
  style: ErrorStyle
  /** @throws {Failure} before anything is sent, synchronously or as a rejection */
  answer: (context: RequestContext, read: ReadBody) => Promise<void>
}

/** Aborts a response that has already started so that clients do not mistake it for complete. */
const refuse = (context: RequestContext, style: ErrorStyle, error: unknown): void => {
  const failure = toFailure(error)
  context.failure = failure
  const { headersSent, writableEnded } = context.outgoing
  if (!headersSent) new ResponseWriter(context).sendFailure(style, failure)
  else if (!writableEnded) context.outgoing.destroy()
}

const readerOf =
  (request: FastPathRequest): ReadBody =>
  (limits) =>
    request.readBody(new BodyBuffer(limits, request.bodyLength))

/** Runs a fast-path route and responds with an error if it throws. */
export const respondFastPath = (
  route: FastPathRoute,
  context: RequestContext,
  read: ReadBody,
): void => {
  const refused = (error: unknown): void => refuse(context, route.style, error)
  try {
    route.answer(context, read).catch(refused)
  } catch (error) {
    refused(error)
  }
}

interface Deps {
  opening: RequestContextDeps
  /** By "METHOD path". */
  routes: ReadonlyMap<string, FastPathRoute>
  checkHost: HostCheck
  connectionLimit: ConnectionLimit
}

/**
 * Serves the fast-path routes in front of Node's HTTP server. They bypass the framework: for a small
 * request its overhead exceeds the gateway's own work. Other requests go through the framework.
 */
export const createFastPath = ({ opening, routes, checkHost, connectionLimit }: Deps) =>
  createFastPathServer<FastPathRoute>({
    admit: connectionLimit.admit,
    findRoute: (target) => routes.get(target),
    isHostAllowed: (host) => checkHost(host) === undefined,
    respond: (route, request, response) =>
      respondFastPath(route, createRequestContext(opening, request, response), readerOf(request)),
    createDisconnectError: clientDisconnected,
    reportError: reportUnhandled,
  })
