import { z } from "zod"

/**
 * The fields of OpenAI-style requests that the gateway reads. Everything else is forwarded byte for
 * byte: https://platform.openai.com/docs/api-reference
 */
export const ChatCompletionBody = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    stream: z.boolean().optional(),
    stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  })
  .meta({ id: "ChatRequest" })

export const TextCompletionBody = z
  .looseObject({ model: z.string(), stream: z.boolean().optional() })
  .meta({ id: "CompletionRequest" })

export const EmbeddingsBody = z
  .looseObject({ model: z.string(), input: z.unknown() })
  .meta({ id: "EmbeddingRequest" })

export const ResponsesBody = z
  .looseObject({ model: z.string(), stream: z.boolean().optional() })
  .meta({ id: "ResponseRequest" })

const ProviderResponse = z
  .looseObject({})
  .meta({ description: "The provider's response, byte for byte; `text/event-stream` if streamed" })

export const providerResponse = {
  schema: ProviderResponse,
  description: "The provider's response",
}

/** https://platform.claude.com/docs/en/api/messages/create */
export const MessagesBody = z
  .looseObject({
    model: z.string(),
    messages: z.array(z.looseObject({ role: z.string() })),
    max_tokens: z.int().optional(),
    stream: z.boolean().optional(),
  })
  .meta({ id: "MessageRequest" })

export const MessagesResponse = z
  .looseObject({})
  .meta({ description: "A message of Anthropic's API; `text/event-stream` if streamed" })

export const TokenCount = z.object({ input_tokens: z.int() }).meta({ id: "TokenCount" })
