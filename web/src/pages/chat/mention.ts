/** "#handb" where the caret stands, and where in the text its "#" is. */
export interface Mention {
  from: number
  query: string
}

/** At the beginning or after a space; "# Heading" is Markdown and none. */
const mention = /(?:^|\s)#([^\s#][^\n#]{0,60}|)$/

export const mentionAt = (text: string, caret: number): Mention | null => {
  const query = mention.exec(text.slice(0, caret))?.[1]
  return query === undefined ? null : { from: caret - query.length - 1, query }
}
