/**
 * Errors that providers send with status 200: which, the body, and the status, type and part of the
 * message that an Anthropic client receives.
 */
export const reportedErrors: [string, object, number, string, string][] = [
  [
    "of OpenRouter",
    { error: { message: "Slow down", code: 429 }, user_id: "u" },
    ...([429, "rate_limit_error", "Slow down"] as const),
  ],
  [
    "beside empty choices",
    { id: null, choices: null, error: { message: "Too long", code: 400 } },
    ...([400, "invalid_request_error", "Too long"] as const),
  ],
  [
    "of a choice",
    { choices: [{ finish_reason: "error", error: { message: "Busy", code: 503 } }] },
    ...([503, "api_error", "Busy"] as const),
  ],
  ["as a text", { error: "model is loading" }, 502, "api_error", "model is loading"],
  [
    "of vLLM",
    { object: "error", message: "Bad", type: "BadRequestError", code: 400 },
    ...([400, "invalid_request_error", "Bad"] as const),
  ],
  [
    "of Anthropic",
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    ...([529, "overloaded_error", "Overloaded"] as const),
  ],
  ["with a name only", { error: { type: "rate_limit_error" } }, 429, "rate_limit_error", ""],
  [
    "of Google with its causes",
    {
      error: {
        ...{ code: 429, message: "Quota exceeded", status: "RESOURCE_EXHAUSTED" },
        errors: [{ message: "Quota exceeded", domain: "global", reason: "rateLimitExceeded" }],
      },
    },
    ...([429, "rate_limit_error", "Quota exceeded"] as const),
  ],
  ["of FastAPI", { detail: "Not now" }, 502, "api_error", "Not now"],
  ["of a field", { detail: [{ loc: ["body"], msg: "Too big" }] }, 502, "api_error", "Too big"],
  ["in a list", { success: false, errors: [{ message: "No route" }] }, 502, "api_error", "route"],
  [
    "of MiniMax",
    { choices: null, base_resp: { status_code: 1008, status_msg: "No balance" } },
    ...([502, "api_error", "No balance"] as const),
  ],
  ["with a short name", { code: 500, msg: "Gone", success: false }, 500, "api_error", "Gone"],
  ["of Baidu", { error_code: 18, error_msg: "No more" }, 502, "api_error", "No more"],
  [
    "within an error",
    { error: { error: { message: "Inner", type: "rate_limit_error" } } },
    ...([429, "rate_limit_error", "Inner"] as const),
  ],
  [
    "of Alibaba",
    { code: "Throttling.RateQuota", message: "Too fast" },
    ...([429, "rate_limit_error", "Too fast"] as const),
  ],
  ["whose title is less", { error: "Bad", message: "Why" }, 502, "api_error", "Why"],
  ["of Zhipu", { code: 1302, msg: "Too many" }, 502, "api_error", "Too many"],
  [
    "with a flag",
    { error: true, message: "Slow down", statusCode: 429 },
    ...([429, "rate_limit_error", "Slow down"] as const),
  ],
]
