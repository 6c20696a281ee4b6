import type { CompletionEncoder } from "./response-converter.ts"

/** Formats a chat completion for clients of chat completions. */
export const chatEncoder: CompletionEncoder = {
  encodeChunk: (chunk) => `data: ${chunk === null ? "[DONE]" : JSON.stringify(chunk)}\n\n`,
  endStream: () => "",
  encodeBody: (completion) => JSON.stringify(completion),
  encodeError: null,
}
