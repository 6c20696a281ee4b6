/** What a text is embedded as: some models tell questions from passages. */
export type TextKind = "query" | "passage"
