import type { Logger } from "pino"
import { createAuditRouter } from "./audit/router.ts"
import { createApiKeyRouter } from "./auth/api-key-router.ts"
import { createInvitationRouter } from "./auth/invitation-router.ts"
import { createAuthRouter } from "./auth/router.ts"
import { createSessionCookie } from "./auth/session-cookie.ts"
import type { ApiOperation } from "./completions/operations/operation.ts"
import { apiOperations } from "./completions/operations/registry.ts"
import { createCompletionRouter } from "./completions/router.ts"
import { reservedSegments } from "./config/config.ts"
import { createConnectionRouter } from "./connections/router.ts"
import { createAnswerRouter } from "./conversations/answers/router.ts"
import { createChatRouter } from "./conversations/chats/router.ts"
import {
  createChangeEventRouter,
  createChatMessageRouter,
} from "./conversations/messages/router.ts"
import { createProjectRouter } from "./conversations/projects/router.ts"
import { createRatingRouter } from "./conversations/ratings/router.ts"
import { createResumableRouter } from "./files/resumable-router.ts"
import { createFileRouter } from "./files/router.ts"
import { createFunctionRouter } from "./functions/router.ts"
import { createFunctionRunRouter } from "./functions/run-router.ts"
import type { Gateway } from "./gateway.ts"
import { createGroupRouter } from "./groups/router.ts"
import { aliasPrefixes } from "./http/allowed-routes.ts"
import { createCidrMatcher, createClientAddressResolver } from "./http/client-address.ts"
import { createConnectionLimit } from "./http/connection-limit.ts"
import { createCors } from "./http/cors.ts"
import type { ErrorStyle } from "./http/failure-response.ts"
import { createHostCheck } from "./http/host-check.ts"
import { createRouters } from "./http/router.ts"
import { createServerApp, type ServerApp } from "./http/server.ts"
import { createCollectionRouter } from "./knowledge/collections/router.ts"
import { createEmbeddingModelRouter } from "./knowledge/embedding/router.ts"
import { createQuestionRouter } from "./knowledge/question-sets/router.ts"
import { createFileKnowledgeRouter } from "./knowledge/reading/router.ts"
import { createLimitRouter } from "./limits/router.ts"
import { createModelListRouter } from "./models/model-list-router.ts"
import { createModelRouter } from "./models/router.ts"
import { createOverviewRouter } from "./monitoring/overview-router.ts"
import { createMonitoringRouter } from "./monitoring/router.ts"
import { createNativeProxyRouter } from "./native-proxy/router.ts"
import { createUserRemovalRouter } from "./ownership/user-removal-router.ts"
import { createPriceRouter } from "./prices/router.ts"
import { createInstructionRouter } from "./prompts/instruction-router.ts"
import { createPromptRouter } from "./prompts/router.ts"
import { scimPath } from "./scim/base-url.ts"
import { createProvisioningRouter } from "./scim/provisioning-status.ts"
import { createScimRouter } from "./scim/router.ts"
import { createSettingsRouter } from "./settings/router.ts"
import { createIdentityRouter } from "./sso/identity-router.ts"
import { createProviderRouter } from "./sso/provider-router.ts"
import { createSignOnRouter } from "./sso/sign-on-router.ts"
import { createStorageRouter } from "./storage/router.ts"
import { createStoredResponseRouter } from "./stored-responses/router.ts"
import { createUsageRouter } from "./usage/router.ts"
import { createUserRouter } from "./users/router.ts"
import { serveWebApp, webDistFolder } from "./web-files.ts"
import { createWebhookRouter } from "./webhooks/router.ts"

/** The first segments of the paths of an inbound API, as part of a pattern. */
const segmentsOf = (api: ApiOperation["api"]): string => {
  const names = apiOperations.filter((one) => one.api === api).map(({ name }) => name.split("/")[0])
  return [...new Set(names)].join("|")
}

const anthropicPath = new RegExp(`^(/api)?(/v1)?/(${segmentsOf("anthropic")})(/|$)`)
const openaiPath = new RegExp(`^/(v1|api/(models|${segmentsOf("openai")}))(/|$)`)

const styleOfPath =
  (runtimePrefix: string) =>
  (path: string): ErrorStyle => {
    if (/^\/(api\/v1\/|api\/)?scim(\/|$)/.test(path)) return "scim"
    if (path === runtimePrefix || path.startsWith(`${runtimePrefix}/`)) return "runtime"
    if (path.startsWith("/openai/")) return "openai"
    if (anthropicPath.test(path)) return "anthropic"
    return openaiPath.test(path) ? "openai" : "api"
  }

/** Mounts every route of the gateway. */
export const createApp = (gateway: Gateway, log: Logger): ServerApp => {
  const { config } = gateway
  const runtimePrefix = `/${config.RUNTIME_PREFIX}`
  const bodyLimit = config.MAX_BODY_SIZE
  const { bodyMemory } = gateway
  const connectionLimit = createConnectionLimit({
    bounds: config.MAX_CONNECTIONS,
    // One per operation that a user may have in flight, plus as many as an address may have.
    maxPerUser:
      config.MAX_CONNECTIONS.perUser +
      config.MAX_REQUESTS.perUser +
      config.MAX_EVENT_STREAMS.perUser +
      config.MAX_UPLOADS.perUser,
    isTrusted: createCidrMatcher(config.TRUSTED_PROXIES),
  })
  const router = createRouters({
    authenticate: gateway.authenticate,
    admitProvisioner: gateway.scim.admit,
    bodyMemory,
    unreadResponses: gateway.limits.replies,
    connectionLimit,
    isLimitedKey: gateway.usageLimits.isLimitedKey,
    fairLoop: gateway.fairLoop,
    bodyLimit,
  })
  const addressOf = createClientAddressResolver(config.TRUSTED_PROXIES)
  const app = createServerApp({
    log,
    bodyMemory,
    connectionLimit,
    addressOf,
    checkHost: createHostCheck(config),
    usesFastPath: config.FAST_PATH,
    cors: createCors(config.CORS_ORIGINS),
    styleOf: styleOfPath(runtimePrefix),
  })
  const { mount } = app

  mount(createAuthRouter({ router: router("api"), ...gateway }))
  mount(createInvitationRouter({ router: router("api"), ...gateway }))
  mount(createApiKeyRouter({ router: router("api"), ...gateway }))
  const { sso, authenticate } = gateway
  const sessionCookie = createSessionCookie(config.PUBLIC_URL)
  mount(createProviderRouter(router("api"), sso))
  mount(createIdentityRouter(router("api"), sso))
  mount(createSignOnRouter({ router: router("api"), sso, authenticate, sessionCookie }))
  mount(createUserRouter(router("api"), gateway.users))
  mount(createUserRemovalRouter(router("api"), gateway.userRemoval))
  mount(createGroupRouter({ router: router("api"), ...gateway }))
  mount(createConnectionRouter(router("api"), gateway.connections))
  mount(createModelRouter({ router: router("api"), ...gateway }))
  mount(createInstructionRouter(router("api"), gateway.personalInstructions))
  mount(createPromptRouter({ router: router("api"), ...gateway }))
  mount(createPriceRouter({ router: router("api"), ...gateway }))
  mount(createLimitRouter({ router: router("api"), ...gateway }))
  mount(createWebhookRouter(router("api"), gateway.webhooks))
  const { conversations } = gateway
  mount(createChatRouter({ router: router("api"), ...conversations }))
  mount(createChatMessageRouter({ router: router("api"), ...conversations }))
  mount(createProjectRouter(router("api"), conversations.projects))
  mount(createAnswerRouter(router("api"), conversations.answerEdits))
  mount(createRatingRouter(router("api"), conversations.ratings))
  mount(createChangeEventRouter(router("api"), conversations.streamChangeEvents))
  const { collections, explanation } = gateway.knowledge
  mount(
    createFileRouter({
      router: router("api"),
      ...gateway,
      hasExtractionEngine: config.EXTRACTION_URL !== undefined,
    }),
  )
  mount(createFileKnowledgeRouter(router("api"), gateway.knowledge.reading))
  mount(createResumableRouter(router("api"), gateway.resumable))
  mount(
    createCollectionRouter({
      router: router("api"),
      collections,
      transfer: gateway.knowledge.collectionTransfer,
      explanation,
    }),
  )
  mount(createQuestionRouter(router("api"), gateway.knowledge.questionSets))
  mount(createEmbeddingModelRouter({ router: router("api"), ...gateway.knowledge }))
  mount(createFunctionRouter({ router: router("api"), ...gateway.functions }))
  mount(createFunctionRunRouter({ router: router("api"), ...gateway.functions }))
  mount(createSettingsRouter(router("api"), gateway.settings))
  mount(createOverviewRouter({ router: router("api"), ...gateway }))
  mount(createStorageRouter(router("api"), gateway.storageLimit))
  mount(createAuditRouter({ router: router("api"), ...gateway, ...gateway.auditProcessing }))
  mount(createUsageRouter({ router: router("api"), ...gateway }))

  for (const prefix of aliasPrefixes) {
    mount(createModelListRouter({ router: router("openai"), ...gateway }), prefix)
    mount(
      createCompletionRouter({
        ...{ router: router("openai"), api: "openai", bodyLimit },
        completions: gateway.completions,
      }),
      prefix,
    )
    mount(
      createStoredResponseRouter({
        ...{ router: router("openai"), bodyMemory },
        responses: gateway.storedResponses,
      }),
      prefix,
    )
    mount(
      createCompletionRouter({
        ...{ router: router("anthropic"), api: "anthropic", bodyLimit },
        completions: gateway.completions,
      }),
      prefix,
    )
  }
  mount(
    createNativeProxyRouter({
      router: router("runtime"),
      prefix: runtimePrefix,
      summary: "The native API of the model runtimes, passed through",
      forward: gateway.nativeProxy.ollama,
    }),
    runtimePrefix,
  )
  mount(
    createNativeProxyRouter({
      router: router("openai"),
      prefix: "/openai",
      summary: "The API of the OpenAI-style connections, passed through",
      forward: gateway.nativeProxy.openai,
      isEnabled: () => gateway.settings.current().enable_openai_proxy,
    }),
    "/openai",
  )

  mount(
    createProvisioningRouter(router("api"), {
      ...gateway,
      ...gateway.auditProcessing,
      ...gateway.scim,
    }),
  )
  mount(createScimRouter({ router: router("scim"), ...gateway.scim }), scimPath)
  mount(createMonitoringRouter({ router: router("api"), ...gateway, routes: app.routes }))
  const reserved = [...reservedSegments, config.RUNTIME_PREFIX.toLowerCase()]
  app.fallback(serveWebApp({ folder: webDistFolder, reserved }))
  return app
}
