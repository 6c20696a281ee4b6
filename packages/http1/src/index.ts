export {
  type BufferedResponse,
  ResponseTooLargeError,
  readBufferedResponse,
} from "./buffered-response.ts"
export { createClient } from "./client.ts"
export { isTransportHeader } from "./format-request-head.ts"
export { headerOf } from "./header-fields.ts"
export { isPlainHost } from "./parse-request-head.ts"
export { PendingRequest, type RequestConnection } from "./pending-request.ts"
export { HttpStatusError, requestJson } from "./request-json.ts"
export { createRequestStallDetector } from "./request-stall-detector.ts"
export type { ResponseHandler, ResponseListener } from "./response-listener.ts"
export { createFastPathServer } from "./server.ts"
export { type BodySink, type FastPathRequest, pauseUntilNextIteration } from "./server-request.ts"
export {
  type RequestHandle,
  type SentRequest,
  type Transport,
  toTimeoutMs,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from "./transport.ts"
export { classifyUpstreamError, UpstreamError, type UpstreamErrorKind } from "./upstream-error.ts"
