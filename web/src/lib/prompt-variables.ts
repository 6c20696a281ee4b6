/** A variable in a prompt's text: `{{name}}`, `{{name|default}}` or `{{name:one,two}}`. */
export interface PromptVariable {
  name: string
  defaultValue: string
  /** The values to choose from; empty if any text is allowed. */
  options: readonly string[]
}

/** Variables that are filled in without asking. */
const automaticNames: ReadonlySet<string> = new Set(["date", "user"])

const maxVariables = 20
const maxOptions = 20
/** Characters between the braces. */
const maxVariableLength = 500

const namePattern = /^[\p{L}\p{N}_][\p{L}\p{N}_ -]{0,49}$/u

const parseOptions = (text: string): string[] =>
  text
    .split(",")
    .map((option) => option.trim())
    .filter((option) => option !== "")
    .slice(0, maxOptions)

/** @param text between the braces @returns null if it is not a variable */
const parseVariable = (text: string): PromptVariable | null => {
  const end = text.search(/[|:]/)
  const name = (end < 0 ? text : text.slice(0, end)).trim()
  if (!namePattern.test(name) || text.includes("\n")) return null
  const rest = end < 0 ? "" : text.slice(end + 1)
  if (text[end] !== ":") return { name, defaultValue: rest.trim(), options: [] }
  const options = parseOptions(rest)
  const [first] = options
  return first === undefined ? null : { name, defaultValue: first, options }
}

/** Splits a text into plain parts and variables, in linear time. */
const splitText = (text: string): (string | PromptVariable)[] => {
  const parts: (string | PromptVariable)[] = []
  const names = new Set<string>()
  let plainFrom = 0
  for (let from = text.indexOf("{{"); from >= 0; from = text.indexOf("{{", from)) {
    const inner = text.slice(from + 2, from + 2 + maxVariableLength + 2)
    const length = inner.indexOf("}}")
    const variable = length < 0 ? null : parseVariable(inner.slice(0, length))
    const isAllowed = variable && (names.has(variable.name) || names.size < maxVariables)
    if (!isAllowed) {
      from += 1
      continue
    }
    names.add(variable.name)
    parts.push(text.slice(plainFrom, from), variable)
    from += length + 4
    plainFrom = from
  }
  parts.push(text.slice(plainFrom))
  return parts
}

/** The variables of a prompt, each once, as it first occurs. */
export const findVariables = (text: string): PromptVariable[] => {
  const byName = new Map<string, PromptVariable>()
  for (const part of splitText(text)) {
    if (typeof part !== "string" && !byName.has(part.name)) byName.set(part.name, part)
  }
  return [...byName.values()]
}

/** Whether the variable is filled in without asking. */
export const isAutomatic = ({ name, options }: PromptVariable): boolean =>
  automaticNames.has(name) && options.length === 0

/** Replaces the variables by their values; those without a value by their defaults. */
export const fillVariables = (text: string, values: Readonly<Record<string, string>>): string =>
  splitText(text)
    .map((part) =>
      typeof part === "string"
        ? part
        : Object.hasOwn(values, part.name)
          ? values[part.name]
          : part.defaultValue,
    )
    .join("")
