import { useSyncExternalStore } from "react"

/** Browsers cut off long utterances, so a text is spoken in paragraphs. */
const paragraphBreak = /\n+/

let speakingId: string | null = null
const listeners = new Set<() => void>()

const setSpeaking = (id: string | null): void => {
  speakingId = id
  for (const listener of listeners) listener()
}

export const canSpeak = (): boolean => "speechSynthesis" in window

/** Stops reading the text with this id, if it is being read. */
export const stopSpeaking = (id: string): void => {
  if (speakingId !== id) return
  setSpeaking(null)
  window.speechSynthesis.cancel()
}

/** Reads a text aloud, in place of one that is being read. @param id identifies it */
export const speak = (id: string, text: string): void => {
  window.speechSynthesis.cancel()
  const paragraphs = text.split(paragraphBreak).filter((paragraph) => paragraph.trim() !== "")
  const utterances = paragraphs.map((paragraph) => new SpeechSynthesisUtterance(paragraph))
  const last = utterances.at(-1)
  setSpeaking(last ? id : null)
  if (!last) return
  const finish = (): void => {
    if (speakingId === id) setSpeaking(null)
  }
  last.onend = finish
  for (const utterance of utterances) {
    utterance.onerror = finish
    window.speechSynthesis.speak(utterance)
  }
}

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Whether the text with this id is being read aloud. */
export const useIsSpeaking = (id: string): boolean =>
  useSyncExternalStore(subscribe, () => speakingId === id)
