import type { SuggestionTrigger } from "./use-suggestion-menu.ts"

/** "#" at the start or after a space; "# Heading" is Markdown, not a mention. */
const mentionPattern = /(?:^|\s)#([^\s#][^\n#]{0,60}|)$/

/** The "#handb" at the caret. */
export const findMention = (text: string, caret: number): SuggestionTrigger | null => {
  const query = mentionPattern.exec(text.slice(0, caret))?.[1]
  return query === undefined ? null : { from: caret - query.length - 1, query }
}
