/** What a text is embedded as; some models treat questions and passages differently. */
export type EmbeddingInputType = "query" | "passage"
