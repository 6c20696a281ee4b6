import { createWorkerClient } from "../../background/worker-client.ts"

/** Its model takes about 80 MB. */
const idleTimeoutMs = 5 * 60_000
/** Characters that are enough to recognize a language. */
const maxLength = 1000

/** Detects the languages of questions in a thread of its own, which ends when idle. */
export const createQuestionLanguageDetector = () => {
  const module = new URL("./question-language-worker.ts", import.meta.url)
  const thread = createWorkerClient<string, string | null>(module, null, idleTimeoutMs)
  return {
    /** @returns the ISO 639-1 code; null if the question is too short, or its language unclear */
    detectLanguage: (question: string): Promise<string | null> =>
      thread.request(question.slice(0, maxLength)),
    close: thread.close,
  }
}
