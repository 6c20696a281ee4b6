export {
  type BufferedResponse,
  ResponseTooLargeError,
  readBufferedResponse,
} from "./buffered-response.ts"
export { createClient } from "./client.ts"
export { type JsonRequest, RefusedError, requestJson } from "./json-request.ts"
export { PendingRequest, type RequestConnection } from "./pending-request.ts"
export { isConnectionField } from "./request-head.ts"
export { isPlainHost } from "./request-parser.ts"
export { headerOf } from "./response-head.ts"
export type { ResponseHandler, ResponseListener } from "./response-listener.ts"
export { createFastPathServer } from "./server.ts"
export { type BodySink, type FastPathRequest, pauseUntilNextTick } from "./server-request.ts"
export { createStallDetector } from "./stall-detector.ts"
export {
  type RequestHandle,
  type SentRequest,
  type Transport,
  toTimeoutMs,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from "./transport.ts"
export { classifyUpstreamError, UpstreamError, type UpstreamErrorKind } from "./upstream-error.ts"
