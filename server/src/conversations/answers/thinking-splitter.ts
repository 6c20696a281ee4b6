const openingTag = "<think>"
const closingTag = "</think>"

interface SplitText {
  content: string
  reasoning: string
}

/** The length of the longest end of `text` that may be the beginning of `mark`. */
const partialTagLength = (text: string, tag: string): number => {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}

/**
 * Separates reasoning that some models write at the very beginning of an answer, between `<think>`
 * and `</think>`. Anywhere else the tags are ordinary text.
 */
export const createThinkingSplitter = () => {
  let stage: "before" | "thinking" | "after" = "before"
  let pending = ""

  const splitBeginning = (text: string): SplitText => {
    const trimmed = text.trimStart()
    if (trimmed.startsWith(openingTag)) {
      stage = "thinking"
      return splitThinking(trimmed.slice(openingTag.length).trimStart())
    }
    if (openingTag.startsWith(trimmed)) {
      pending = text
      return { content: "", reasoning: "" }
    }
    stage = "after"
    return { content: text, reasoning: "" }
  }

  const splitThinking = (text: string): SplitText => {
    const at = text.indexOf(closingTag)
    if (at >= 0) {
      stage = "after"
      return {
        reasoning: text.slice(0, at).trimEnd(),
        content: text.slice(at + closingTag.length).trimStart(),
      }
    }
    const keep = partialTagLength(text, closingTag)
    pending = text.slice(text.length - keep)
    return { content: "", reasoning: text.slice(0, text.length - keep) }
  }

  return {
    split: (text: string): SplitText => {
      const whole = pending + text
      pending = ""
      if (stage === "before") return splitBeginning(whole)
      return stage === "thinking" ? splitThinking(whole) : { content: whole, reasoning: "" }
    },
    /** Returns text held back because it could have become a tag. */
    end: (): SplitText => {
      const rest = pending
      pending = ""
      return stage === "thinking"
        ? { content: "", reasoning: rest }
        : { content: rest, reasoning: "" }
    },
  }
}
