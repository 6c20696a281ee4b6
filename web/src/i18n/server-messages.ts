const escapePattern = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** Matches a message written from `template`; each placeholder is a named group. */
const patternOf = (template: string): RegExp =>
  new RegExp(`^${escapePattern(template).replace(/\\\{(\w+)\\\}/g, "(?<$1>.+?)")}$`, "s")

/**
 * Translates messages that the gateway sends in English. Values are translated if they are
 * messages too, such as the reason in "Can't reach {address}: {reason}".
 * @param messages translations by English template, such as "{email} is already in use."
 */
export const createMessageTranslator = (messages: Record<string, string>) => {
  const patterns = Object.entries(messages).map(
    ([template, translation]) => [patternOf(template), translation] as const,
  )
  const translate = (message: string): string => {
    for (const [pattern, translation] of patterns) {
      const found = pattern.exec(message)
      if (!found) continue
      return translation.replace(/\{(\w+)\}/g, (_, name) => translate(found.groups?.[name] ?? ""))
    }
    return message
  }
  return translate
}
