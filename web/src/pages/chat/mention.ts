/** The "#handb" at the caret, and the offset of its "#" in the text. */
export interface Mention {
  from: number
  query: string
}

/** "#" at the start or after a space; "# Heading" is Markdown, not a mention. */
const mentionPattern = /(?:^|\s)#([^\s#][^\n#]{0,60}|)$/

export const findMention = (text: string, caret: number): Mention | null => {
  const query = mentionPattern.exec(text.slice(0, caret))?.[1]
  return query === undefined ? null : { from: caret - query.length - 1, query }
}
