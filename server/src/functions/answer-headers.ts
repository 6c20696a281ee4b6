/** Headers of the responses that functions give and receive: names and values in turn. */
export const answerHeaders = (isStream: boolean): readonly string[] =>
  isStream
    ? ["content-type", "text/event-stream; charset=utf-8", "cache-control", "no-cache"]
    : ["content-type", "application/json"]
