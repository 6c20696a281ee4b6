import { useNavigate, useSearch } from "@tanstack/react-router"
import { useEffect, useLayoutEffect } from "react"
import type { ChatListItem, ChatWithMessages, Message } from "../../lib/chat-api.ts"
import type { Turn } from "../../lib/chat-tree.ts"
import { splitAtMatches } from "../../lib/split-at-matches.ts"

/** Search parameters of a chat's URL: the message that a search found, and the text. */
export interface FoundMessage {
  message?: string | undefined
  find?: string | undefined
}

/** Opens a chat at what the search for `query` found in it. */
export const foundMessageOf = (chat: ChatListItem, query: string): FoundMessage =>
  chat.snippet_message_id === null ? {} : { message: chat.snippet_message_id, find: query }

export const turnElementId = (turn: Turn): string => `turn-${turn.key}`

const highlightName = "found-text"
/** Older browsers scroll to the text without marking it. */
const canHighlight = "highlights" in CSS

/** The first occurrence of a text that is not interrupted by formatting. */
const findText = (element: Element, text: string): Range | null => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const content = node.nodeValue ?? ""
    const match = splitAtMatches(content, text).find(({ isMatch }) => isMatch)
    if (match) {
      const range = document.createRange()
      range.setStart(node, Math.min(match.start, content.length))
      range.setEnd(node, Math.min(match.start + match.text.length, content.length))
      return range
    }
  }
  return null
}

/** Marks the text in a turn. @returns where it is; the whole turn if it is not found */
const markText = (turn: Element, text: string): Range => {
  const found = findText(turn, text)
  if (found) {
    if (canHighlight) CSS.highlights.set(highlightName, new Highlight(found))
    return found
  }
  const whole = document.createRange()
  whole.selectNode(turn)
  return whole
}

interface Deps {
  chat: ChatWithMessages | null
  turns: readonly Turn[]
  showBranch: (message: Message) => void
  scrollTo: (range: Range) => void
}

/** Scrolls once to the message in the URL; if another alternative is shown, shows its own first. */
export const useScrollToFoundMessage = ({ chat, turns, showBranch, scrollTo }: Deps): void => {
  const { message: id, find = "" }: FoundMessage = useSearch({ strict: false })
  const navigate = useNavigate()
  useLayoutEffect(() => {
    if (id === undefined) return
    const message = chat?.messages.find((one) => one.id === id)
    if (!message) return
    const turn = turns.find(({ messages }) => messages.includes(message))
    if (!turn) return showBranch(message)
    const element = document.getElementById(turnElementId(turn))
    if (element) {
      // Its layout may have been skipped, and its height unknown.
      element.style.contentVisibility = "visible"
      scrollTo(markText(element, find))
    }
    void navigate({ to: ".", search: {}, replace: true })
  })
  useEffect(() => () => void (canHighlight && CSS.highlights.delete(highlightName)), [])
}
