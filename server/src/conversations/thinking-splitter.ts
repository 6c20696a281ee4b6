const opening = "<think>"
const closing = "</think>"

interface Parts {
  content: string
  reasoning: string
}

/** The length of the longest end of `text` that may be the beginning of `mark`. */
const begunMark = (text: string, mark: string): number => {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(mark.slice(0, length))) return length
  }
  return 0
}

/**
 * Separates reasoning that some models write at the very beginning of an answer, between `<think>`
 * and `</think>`. Anywhere else the tags are ordinary text.
 */
export const createThinkingSplitter = () => {
  let stage: "before" | "thinking" | "after" = "before"
  let held = ""

  const beginning = (text: string): Parts => {
    const trimmed = text.trimStart()
    if (trimmed.startsWith(opening)) {
      stage = "thinking"
      return thinking(trimmed.slice(opening.length).trimStart())
    }
    if (opening.startsWith(trimmed)) {
      held = text
      return { content: "", reasoning: "" }
    }
    stage = "after"
    return { content: text, reasoning: "" }
  }

  const thinking = (text: string): Parts => {
    const at = text.indexOf(closing)
    if (at >= 0) {
      stage = "after"
      return {
        reasoning: text.slice(0, at).trimEnd(),
        content: text.slice(at + closing.length).trimStart(),
      }
    }
    const keep = begunMark(text, closing)
    held = text.slice(text.length - keep)
    return { content: "", reasoning: text.slice(0, text.length - keep) }
  }

  return {
    split: (text: string): Parts => {
      const whole = held + text
      held = ""
      if (stage === "before") return beginning(whole)
      return stage === "thinking" ? thinking(whole) : { content: whole, reasoning: "" }
    },
    /** Returns text held back because it could have become a tag. */
    end: (): Parts => {
      const rest = held
      held = ""
      return stage === "thinking"
        ? { content: "", reasoning: rest }
        : { content: rest, reasoning: "" }
    },
  }
}
