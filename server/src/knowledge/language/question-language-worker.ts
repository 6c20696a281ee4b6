import { detectLanguage } from "@portico/extract/detect-language"
import { serveRequests } from "../../background/worker-client.ts"

/** Runs in its own worker thread, which `question-language.ts` calls. */
serveRequests((question: string) => detectLanguage(question))
