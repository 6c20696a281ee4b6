export {
  decodeEvents,
  EventTooLargeError,
  type ServerSentEvent,
  SseDecoder,
} from "./sse-decoder.ts"
