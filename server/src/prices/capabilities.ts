/** What models can do besides answering text with text. */
export const capabilities = [
  "vision",
  "tools",
  "reasoning",
  "audio_input",
  "audio_output",
  "pdf_input",
  "prompt_caching",
  "structured_output",
  "web_search",
  "embeddings",
] as const
