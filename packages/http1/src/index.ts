export {
  type BufferedResponse,
  ResponseTooLargeError,
  readBufferedResponse,
} from "./buffered-response.ts"
export {
  type Client,
  createClient,
  RefusedError,
  type RequestHandle,
  type SentRequest,
  type UpstreamRequest,
  type UpstreamTimeouts,
} from "./client.ts"
export { isPlainHost } from "./request-parser.ts"
export { headerOf } from "./response-head.ts"
export type { ResponseHandler, ResponseListener } from "./response-listener.ts"
export { createFastPathServer } from "./server.ts"
export { type BodySink, type FastPathRequest, pauseUntilNextTick } from "./server-request.ts"
export { createStallDetector } from "./stall-detector.ts"
export { UpstreamError, type UpstreamErrorKind } from "./upstream-error.ts"
