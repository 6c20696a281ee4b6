import type { Logger } from "pino"
import { auditRoutes } from "./audit/routes.ts"
import { invitationRoutes } from "./auth/invitation-routes.ts"
import { keyRoutes } from "./auth/key-routes.ts"
import { authRoutes } from "./auth/routes.ts"
import { createSessionCookie } from "./auth/session-cookie.ts"
import { messagesRoutes } from "./completions/messages-routes.ts"
import { completionRoutes } from "./completions/routes.ts"
import { reservedSegments } from "./config/config.ts"
import { connectionRoutes } from "./connections/routes.ts"
import { answerRoutes, ratingRoutes } from "./conversations/answer-routes.ts"
import { changeEventRoutes, chatMessageRoutes } from "./conversations/message-routes.ts"
import { projectRoutes } from "./conversations/project-routes.ts"
import { chatListRoutes } from "./conversations/routes.ts"
import { resumableRoutes } from "./files/resumable-routes.ts"
import { fileRoutes } from "./files/routes.ts"
import { functionRoutes } from "./functions/routes.ts"
import { functionRunRoutes } from "./functions/run-routes.ts"
import type { Gateway } from "./gateway.ts"
import { groupRoutes } from "./groups/routes.ts"
import { aliasPrefixes } from "./http/allowed-routes.ts"
import { createCidrMatcher, createClientAddressResolver } from "./http/client-address.ts"
import { createConnectionLimit } from "./http/connection-limit.ts"
import { createCors } from "./http/cors.ts"
import type { ErrorStyle } from "./http/errors.ts"
import { createHostCheck } from "./http/host-check.ts"
import { createRouters } from "./http/router.ts"
import { createServerApp, type ServerApp } from "./http/server.ts"
import { embeddingModelRoutes } from "./knowledge/embedding-routes.ts"
import { fileKnowledgeRoutes } from "./knowledge/file-routes.ts"
import { knowledgeRoutes } from "./knowledge/routes.ts"
import { modelListRoutes } from "./models/list-routes.ts"
import { modelRoutes } from "./models/routes.ts"
import { nativeProxyRoutes } from "./native-proxy/routes.ts"
import { overviewRoutes } from "./operations/overview.ts"
import { operationRoutes } from "./operations/routes.ts"
import { serveWebApp, webDistFolder } from "./operations/web-files.ts"
import { userRemovalRoutes } from "./ownership/routes.ts"
import { instructionRoutes } from "./prompts/instruction-routes.ts"
import { promptRoutes } from "./prompts/routes.ts"
import { provisioningRoutes } from "./scim/provisioning-status.ts"
import { scimPath } from "./scim/response.ts"
import { scimRoutes } from "./scim/routes.ts"
import { settingsRoutes } from "./settings/routes.ts"
import { signOnAdminRoutes } from "./sso/admin-routes.ts"
import { signOnRoutes } from "./sso/routes.ts"
import { storageRoutes } from "./storage/routes.ts"
import { storedResponseRoutes } from "./stored-responses/routes.ts"
import { usageRoutes } from "./usage/routes.ts"
import { userRoutes } from "./users/routes.ts"

const styleOfPath =
  (runtimePrefix: string) =>
  (path: string): ErrorStyle => {
    if (/^\/(api\/v1\/|api\/)?scim(\/|$)/.test(path)) return "scim"
    if (path === runtimePrefix || path.startsWith(`${runtimePrefix}/`)) return "runtime"
    if (path.startsWith("/openai/")) return "openai"
    if (/^(\/api)?(\/v1)?\/messages(\/|$)/.test(path)) return "anthropic"
    return /^\/(v1|api\/(chat|models|embeddings|completions|responses))(\/|$)/.test(path)
      ? "openai"
      : "api"
  }

/** Mounts every route of the gateway. */
export const createApp = (gateway: Gateway, log: Logger): ServerApp => {
  const { config, now } = gateway
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
    cors: createCors(config.CORS_ORIGINS),
    styleOf: styleOfPath(runtimePrefix),
  })
  const { mount } = app

  mount("/api/v1/auths", authRoutes({ router: router("api"), ...gateway }))
  mount("/api/v1/invitations", invitationRoutes({ router: router("api"), ...gateway }))
  mount("/api/v1/auths", keyRoutes(router("api"), gateway.keys))
  const { sso, authenticate } = gateway
  const sessionCookie = createSessionCookie(config.PUBLIC_URL)
  mount("/api/v1/sso", signOnAdminRoutes(router("api"), sso))
  mount("/api/v1/sso", signOnRoutes({ router: router("api"), sso, authenticate, sessionCookie }))
  mount("/api/v1/users", userRoutes(router("api"), gateway.users))
  mount("/api/v1/users", userRemovalRoutes(router("api"), gateway.userRemoval))
  mount("/api/v1/groups", groupRoutes(router("api"), gateway.groups))
  mount("/api/v1/connections", connectionRoutes(router("api"), gateway.connections))
  mount("/api/v1/models", modelRoutes({ router: router("api"), ...gateway }))
  mount("/api/v1/auths", instructionRoutes(router("api"), gateway.personalInstructions))
  mount("/api/v1/prompts", promptRoutes({ router: router("api"), ...gateway }))
  const { conversations } = gateway
  mount("/api/v1/chats", chatListRoutes({ router: router("api"), ...conversations }))
  mount("/api/v1/chats", chatMessageRoutes({ router: router("api"), ...conversations }))
  mount("/api/v1/folders", projectRoutes(router("api"), conversations.projects))
  mount("/api/v1/chats", answerRoutes({ router: router("api"), ...conversations }))
  mount("/api/v1/ratings", ratingRoutes(router("api"), conversations.ratings))
  mount("/api/v1", changeEventRoutes(router("api"), conversations.changeEvents))
  const { files, receiver, objects, collections, explanation, embeddingStatus } = gateway.knowledge
  mount(
    "/api/v1/files",
    fileRoutes({
      router: router("api"),
      files,
      uploadReceiver: receiver,
      objects,
      fileTransfer: gateway.knowledge.fileTransfer,
      inFlight: gateway.inFlight,
      hasExtractionEngine: config.EXTRACTION_URL !== undefined,
    }),
  )
  mount("/api/v1/files", fileKnowledgeRoutes(router("api"), gateway.knowledge.reading))
  const { resumable } = gateway.knowledge
  mount("/api/v1/files/resumable", resumableRoutes({ router: router("api"), resumable }))
  mount(
    "/api/v1/knowledge",
    knowledgeRoutes({
      router: router("api"),
      collections,
      transfer: gateway.knowledge.collectionTransfer,
      explanation,
    }),
  )
  mount("/api/v1/embedding-model", embeddingModelRoutes(router("api"), embeddingStatus))
  mount("/api/v1/functions", functionRoutes({ router: router("api"), ...gateway.functions }))
  mount("/api/v1/functions", functionRunRoutes({ router: router("api"), ...gateway.functions }))
  mount("/api/v1/settings", settingsRoutes(router("api"), gateway.settings))
  mount("/api/v1/admin", overviewRoutes({ router: router("api"), ...gateway }))
  mount("/api/v1/storage", storageRoutes(router("api"), gateway.storageLimit))
  mount(
    "/api/v1/audit",
    auditRoutes({ router: router("api"), ...gateway, ...gateway.auditProcessing }),
  )
  mount(
    "/api/v1/usage",
    usageRoutes({ router: router("api"), ...gateway, store: gateway.usageStore, now }),
  )

  for (const prefix of aliasPrefixes) {
    mount(prefix, modelListRoutes({ router: router("openai"), ...gateway }))
    mount(
      prefix,
      completionRoutes({ router: router("openai"), completions: gateway.completions, bodyLimit }),
    )
    mount(
      prefix,
      storedResponseRoutes({
        ...{ router: router("openai"), bodyMemory },
        responses: gateway.storedResponses,
      }),
    )
    mount(
      prefix,
      messagesRoutes({ router: router("anthropic"), completions: gateway.completions, bodyLimit }),
    )
  }
  mount(
    runtimePrefix,
    nativeProxyRoutes({
      router: router("runtime"),
      prefix: runtimePrefix,
      summary: "The native API of the model runtimes, passed through",
      forward: gateway.nativeProxy.ollama,
    }),
  )
  mount(
    "/openai",
    nativeProxyRoutes({
      router: router("openai"),
      prefix: "/openai",
      summary: "The API of the OpenAI-style connections, passed through",
      forward: gateway.nativeProxy.openai,
      isEnabled: () => gateway.settings.current().enable_openai_proxy,
    }),
  )

  mount(
    "/api/v1/provisioning",
    provisioningRoutes(router("api"), { ...gateway, ...gateway.auditProcessing, ...gateway.scim }),
  )
  mount(scimPath, scimRoutes({ router: router("scim"), ...gateway.scim }))
  mount("", operationRoutes({ router: router("api"), ...gateway, routes: app.routes }))
  const reserved = [...reservedSegments, config.RUNTIME_PREFIX.toLowerCase()]
  app.fallback(serveWebApp({ folder: webDistFolder, reserved }))
  return app
}
