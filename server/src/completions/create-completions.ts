import type { Logger } from "pino"
import type { FairEventLoop } from "../concurrency/fair-event-loop.ts"
import type { UserLimits } from "../concurrency/user-limits.ts"
import type { FileParts } from "../files/create-files.ts"
import type { FilterChains } from "../functions/filter-chain.ts"
import type { FunctionRegistry } from "../functions/function-registry.ts"
import type { BodyMemory } from "../http/body-memory.ts"
import type { InFlightRequests } from "../http/in-flight-requests.ts"
import type { SseOptions } from "../http/sse-response.ts"
import type { ContextBudget } from "../knowledge/citations/context-budget.ts"
import type { SourceFinder } from "../knowledge/citations/source-finder.ts"
import { createHandbook, documentationFolder } from "../knowledge/search/handbook.ts"
import type { AdmitRequest } from "../limits/admission/admission.ts"
import type { ModelCatalogue } from "../models/catalogue.ts"
import type { SettingsStore } from "../settings/settings.ts"
import type { StoredResponses } from "../stored-responses/stored-responses.ts"
import { createCompletions } from "./completions.ts"
import { createAnswerConverters } from "./conversion/answer-converter.ts"
import { createBodyThread } from "./conversion/body-thread.ts"
import { createBodyWork } from "./conversion/body-work.ts"
import { createDispatcher, type DispatcherDeps } from "./dispatch/dispatch.ts"
import { createFunctionServices } from "./dispatch/function-services.ts"
import { createResponseTracker } from "./dispatch/response-tracker.ts"
import { createFileInliner } from "./preparation/inline-files.ts"
import { createRequestPreparation } from "./preparation/prepare-request.ts"
import { createReferenceResolver } from "./preparation/resolve-references.ts"
import { createFileContentReader, type FileContentDeps } from "./references/file-content-reader.ts"
import { createModelFilters } from "./request/model-filters.ts"
import { createResponseStorage } from "./response/response-storage.ts"

interface Deps extends SseOptions {
  log: Logger
  settings: SettingsStore
  bodyMemory: BodyMemory
  fairLoop: FairEventLoop
  inFlight: InFlightRequests
  limits: UserLimits
  catalogue: ModelCatalogue
  admit: AdmitRequest
  storedResponses: StoredResponses
  fileParts: Pick<FileParts, "files" | "objects">
  knowledge: Pick<FileContentDeps, "searchableFiles"> & {
    sourceFinder: SourceFinder
    contextBudget: ContextBudget
  }
  functions: {
    functionRegistry: FunctionRegistry
    chains: FilterChains
    respond: DispatcherDeps["callFunction"]
  }
}

/** Creates what answers requests to models, and the thread for their large bodies. */
export const createCompletionParts = (deps: Deps) => {
  const { log, settings, bodyMemory, inFlight, limits, catalogue, knowledge, functions } = deps
  const { storedResponses, fileParts } = deps
  const trackResponse = createResponseTracker({ inFlight, catalogue })
  const filters = createModelFilters(functions)
  const bodyThread = createBodyThread()
  const bodyWork = createBodyWork(bodyThread)
  const { sourceFinder } = knowledge
  const { files } = fileParts
  const completions = createCompletions({
    ...deps,
    sourceFinder,
    contextBudget: knowledge.contextBudget,
    template: () => settings.current().rag_template,
    bodyWork,
    preparation: createRequestPreparation({
      bodyMemory,
      filters,
      inlineFiles: createFileInliner(
        createFileContentReader({ ...fileParts, ...knowledge }),
        bodyWork,
      ),
      references: createReferenceResolver(storedResponses, bodyWork),
      bodyWork,
    }),
    storageOf: createResponseStorage({ storedResponses, log, bodyThread, limits }),
    dispatch: createDispatcher({
      ...deps,
      filters,
      trackResponse,
      bodyWork,
      createConverter: createAnswerConverters(bodyThread),
      callFunction: functions.respond,
    }),
  })
  const handbook = createHandbook(documentationFolder)
  return {
    completions,
    trackResponse,
    functionServices: createFunctionServices({ completions, sourceFinder, files, handbook }),
    closeBodyThread: bodyThread.close,
  }
}
