import { createValueStore } from "./value-store.ts"

/** Browsers cut off long utterances, so a text is spoken in paragraphs. */
const paragraphBreak = /\n+/

const speakingId = createValueStore<string | null>(null)

export const canSpeak = (): boolean => "speechSynthesis" in window

/** Stops reading the text with this id, if it is being read. */
export const stopSpeaking = (id: string): void => {
  if (speakingId.get() !== id) return
  speakingId.set(null)
  window.speechSynthesis.cancel()
}

/** Reads a text aloud, in place of one that is being read. @param id identifies it */
export const speak = (id: string, text: string): void => {
  window.speechSynthesis.cancel()
  const paragraphs = text.split(paragraphBreak).filter((paragraph) => paragraph.trim() !== "")
  const utterances = paragraphs.map((paragraph) => new SpeechSynthesisUtterance(paragraph))
  const last = utterances.at(-1)
  speakingId.set(last ? id : null)
  if (!last) return
  const finish = (): void => {
    if (speakingId.get() === id) speakingId.set(null)
  }
  last.onend = finish
  for (const utterance of utterances) {
    utterance.onerror = finish
    window.speechSynthesis.speak(utterance)
  }
}

/** Whether the text with this id is being read aloud. */
export const useIsSpeaking = (id: string): boolean => speakingId.useValue() === id
