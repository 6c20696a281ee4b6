const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Matches a message written from `template`; each placeholder is a named group. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${escapePattern(template).replace(/\\\{(\w+)\\\}/g, "(?<$1>.+?)")}$`, "s")

/**
 * Translates messages that the gateway sends in English.
 * @param messages translations by English template, such as "{email} is already in use."
 */
export const createMessageTranslator = (messages: Record<string, string>) => {
  const patterns = Object.entries(messages).map(
    ([template, translation]) => [patternOf(template), translation] as const,
  )
  return (message: string): string => {
    for (const [pattern, translation] of patterns) {
      const values = pattern.exec(message)
      if (values) return translation.replace(/\{(\w+)\}/g, (_, name) => values.groups?.[name] ?? "")
    }
    return message
  }
}
