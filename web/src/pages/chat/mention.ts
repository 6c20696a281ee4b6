/** The "#handb" at the caret, and the offset of its "#" in the text. */
export interface Mention {
  from: number
  query: string
}

/** "#" at the start or after a space; "# Heading" is Markdown, not a mention. */
const mention = /(?:^|\s)#([^\s#][^\n#]{0,60}|)$/

export const mentionAt = (text: string, caret: number): Mention | null => {
  const query = mention.exec(text.slice(0, caret))?.[1]
  return query === undefined ? null : { from: caret - query.length - 1, query }
}
