const maxTitleLength = 60

/** A title made of the first words of a prompt; "" if it has none. */
export const titleFromPrompt = (text: string): string => {
  const line = text.trim().split(/\r?\n/, 1)[0]?.replace(/\s+/g, " ") ?? ""
  const plain = line.replace(/^[#>\-\s]+|[*`~]+/g, "").trim() || line
  if (plain.length <= maxTitleLength) return plain
  const cut = plain.slice(0, maxTitleLength)
  const space = cut.lastIndexOf(" ")
  return `${(space > maxTitleLength / 2 ? cut.slice(0, space) : cut).toWellFormed()}…`
}
