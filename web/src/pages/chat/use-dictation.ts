import { useEffect, useRef, useState } from "react"
import { currentLanguage, type MessageKey, t } from "../../i18n/translate.ts"

/** The part of the Web Speech API that dictation uses; TypeScript's DOM library lacks it. */
interface SpeechRecognition extends EventTarget {
  lang: string
  continuous: boolean
  start: () => void
  stop: () => void
  abort: () => void
}
type SpeechRecognitionConstructor = new () => SpeechRecognition

interface ResultEvent extends Event {
  resultIndex: number
  results: ArrayLike<ArrayLike<{ transcript: string }> & { isFinal: boolean }>
}

const findConstructor = (): SpeechRecognitionConstructor | undefined => {
  const scope = window as unknown as Record<string, SpeechRecognitionConstructor | undefined>
  return scope.SpeechRecognition ?? scope.webkitSpeechRecognition
}

const errorKeys: Record<string, MessageKey | undefined> = {
  "not-allowed": "dictation.notAllowed",
  "service-not-allowed": "dictation.notAllowed",
  "no-speech": "dictation.noSpeech",
  "audio-capture": "dictation.noMicrophone",
  network: "dictation.network",
  "language-not-supported": "dictation.language",
}

/** The user's variant of the page's language, such as en-GB. */
const spokenLanguage = (): string =>
  navigator.languages.find((tag) => tag.startsWith(currentLanguage())) ?? currentLanguage()

const readTranscript = ({ resultIndex, results }: ResultEvent): string =>
  Array.from(results)
    .slice(resultIndex)
    .filter(({ isFinal }) => isFinal)
    .map((result) => result[0]?.transcript.trim() ?? "")
    .join(" ")

/** Turns speech into text with the browser's own recognition, phrase by phrase. */
export const useDictation = (onPhrase: (text: string) => void) => {
  const [isListening, setListening] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const recognition = useRef<SpeechRecognition | null>(null)
  const latest = useRef(onPhrase)
  latest.current = onPhrase
  useEffect(() => () => recognition.current?.abort(), [])

  const start = (Recognition: SpeechRecognitionConstructor): void => {
    const started = new Recognition()
    recognition.current = started
    started.lang = spokenLanguage()
    started.continuous = true
    started.addEventListener("result", (event) => {
      const text = readTranscript(event as ResultEvent)
      if (text !== "") latest.current(text)
    })
    started.addEventListener("error", (event) => {
      const { error: code } = event as Event & { error: string }
      if (code !== "aborted") setError(t(errorKeys[code] ?? "dictation.failed"))
    })
    started.addEventListener("end", () => setListening(false))
    setError(null)
    setListening(true)
    started.start()
  }
  const Recognition = findConstructor()
  return {
    isAvailable: Recognition !== undefined,
    isListening,
    error,
    dismissError: (): void => setError(null),
    toggle: (): void => {
      if (isListening) recognition.current?.stop()
      else if (Recognition) start(Recognition)
    },
  }
}

export type Dictation = ReturnType<typeof useDictation>
