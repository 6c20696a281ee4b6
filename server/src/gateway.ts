import { randomUUIDv7 } from "node:crypto"
import type { Logger } from "pino"
import { createAudit } from "./audit/audit.ts"
import { createAuditProcessing } from "./audit/create-audit-processing.ts"
import { createFailedAttemptRecorder } from "./audit/failed-attempt-recorder.ts"
import { createAuthentication } from "./auth/create-authentication.ts"
import { createKeyParts } from "./auth/create-keys.ts"
import { createPasswordSignIn } from "./auth/create-password-sign-in.ts"
import { createPasswords } from "./auth/passwords.ts"
import { createAuthStore } from "./auth/store.ts"
import { createBackgroundTasks } from "./background/background-tasks.ts"
import { openBus } from "./bus/open-bus.ts"
import { createCompletionParts } from "./completions/create-completions.ts"
import { metricNames } from "./completions/operations/registry.ts"
import { createFairEventLoop } from "./concurrency/fair-event-loop.ts"
import { createUserLimits } from "./concurrency/user-limits.ts"
import type { Config } from "./config/config.ts"
import { createConnectionRegistry } from "./connections/connection-registry.ts"
import { createConnections } from "./connections/connections.ts"
import { createConnectionStore } from "./connections/store.ts"
import { createRewritingModel } from "./conversations/answers/rewriting-model.ts"
import { createConversations } from "./conversations/create-conversations.ts"
import { createRowLimits } from "./db/row-limits.ts"
import { openMonitoredDatabase } from "./db/storage-monitor.ts"
import { createFileParts } from "./files/create-files.ts"
import { openObjectStore } from "./files/open-object-store.ts"
import { createFunctionParts } from "./functions/create-functions.ts"
import { createFunctionTransfer } from "./functions/transfer.ts"
import type { GatewayOverrides } from "./gateway-overrides.ts"
import { createGrants } from "./grants/grants.ts"
import { createGroupParts } from "./groups/create-groups.ts"
import { createBodyMemory } from "./http/body-memory.ts"
import { createInFlightRequests } from "./http/in-flight-requests.ts"
import { createClockStore } from "./jobs/clock-store.ts"
import { createClockWatch } from "./jobs/clock-watch.ts"
import { deleteHourly } from "./jobs/hourly-deletion.ts"
import { createJobQueue } from "./jobs/queue.ts"
import { createKnowledge } from "./knowledge/create-knowledge.ts"
import { createLimitParts } from "./limits/create-limits.ts"
import { createModelParts } from "./models/create-models.ts"
import { createNativeProxy } from "./native-proxy/native-proxy.ts"
import { createTransports } from "./outbound/transports.ts"
import { createTransfers } from "./ownership/transfer.ts"
import { createUserRemoval } from "./ownership/user-removal.ts"
import { createPriceParts } from "./prices/create-prices.ts"
import { providerOfHost } from "./prices/shipped/provider-of-host.ts"
import { shippedPrices, shippedPricesDate } from "./prices/shipped/shipped-prices.ts"
import { createPromptParts } from "./prompts/create-prompts.ts"
import { createScim } from "./scim/create-scim.ts"
import { readSecretKey } from "./secrets/key-file.ts"
import { createSecrets } from "./secrets/secrets.ts"
import { seed } from "./seed.ts"
import { createSettings } from "./settings/settings.ts"
import { createSingleSignOn } from "./sso/create-sso.ts"
import { createStorageQuota } from "./storage/storage-quota.ts"
import { createStoredResponses } from "./stored-responses/stored-responses.ts"
import { createUsage } from "./usage/create-usage.ts"
import { createUserStore } from "./users/store.ts"
import { createUsers } from "./users/users.ts"
import { createWebhookParts } from "./webhooks/create-webhooks.ts"

const now = (): number => Math.floor(Date.now() / 1000)
const newId = (): string => randomUUIDv7()

/** Creates all components and connects them, starting with the database. */
export const createGateway = async (config: Config, log: Logger, options: GatewayOverrides) => {
  const secrets = createSecrets(config.SECRET_KEY ?? readSecretKey(config.DATA_DIR))
  const background = createBackgroundTasks({ log })
  const objectStore = await openObjectStore(config, background)
  const monitoring = { ...options, background, log, probeFiles: objectStore.probe }
  const { db, storage } = await openMonitoredDatabase(config, monitoring)
  const bus = await openBus(config, background)
  const clockStore = createClockStore(db)
  // The cleanup at the start depends on it.
  const { isClockTrusted } = await createClockWatch({ ...options, background, store: clockStore })
  const audit = createAudit({ now })
  const failures = createFailedAttemptRecorder({ background, db, audit })
  const settings = await createSettings({ ...options, config, db, bus, audit, now })

  const isOnlyProcess = config.DATABASE_URL === undefined
  const queue = createJobQueue({ ...options, background, db, isOnlyProcess })
  const fairLoop = createFairEventLoop()
  const limits = createUserLimits(config)
  const authStore = createAuthStore(db)
  const { endSessions, refreshCaller } = authStore
  const storageLimit = createStorageQuota({ db, bounds: config.MAX_STORAGE })
  const rowLimits = createRowLimits({ db, config })
  const grants = createGrants(db)
  /** What most components depend on. */
  const shared = {
    background,
    config,
    db,
    storage: storageLimit,
    rowLimits,
    audit,
    failures,
    bus,
    settings,
    secrets,
    transports: createTransports(config),
    grants,
    queue,
    fairLoop,
    limits,
    log,
    newId,
    now,
    nowMs: Date.now,
    isClockTrusted,
    refreshCaller,
  }
  const auditProcessing = createAuditProcessing({
    ...shared,
    ...options,
    auditKey: secrets.auditKey,
    maxAge: () => settings.current().audit_retention,
  })

  const passwords = createPasswords(options.passwordCost)
  const userStore = createUserStore(db)
  const hashPassword = passwords.hash
  const users = createUsers({ ...shared, store: userStore, hashPassword, endSessions })
  const groupParts = createGroupParts(shared)
  const { groupStore, groups } = groupParts

  const keyLimits = () => limitParts.usageLimits
  const keyParts = createKeyParts({ ...shared, ...groupParts, users, keyLimits })
  const signIn = createPasswordSignIn({ ...shared, store: authStore, users, groups, passwords })
  const authentication = createAuthentication({ ...shared, ...signIn, store: authStore })
  const scim = createScim({ ...shared, userStore, users, groupStore, groups, authStore })
  const sso = createSingleSignOn({ ...shared, ...signIn, userStore, users, groupStore, groups })
  const bodyMemory = createBodyMemory(limits.bodies)
  const inFlight = createInFlightRequests({ background, bus, limits, store: authStore })

  const transfers = createTransfers({ ...shared, userStore })
  const { watch } = storage
  const fileParts = createFileParts({ ...shared, ...options, objectStore, watch, transfers })
  const promptParts = createPromptParts({ ...shared, transfers })
  const connectionStore = createConnectionStore(shared)
  const registry = await createConnectionRegistry({ ...shared, ...options, store: connectionStore })
  const connections = createConnections({
    ...shared,
    store: connectionStore,
    registry,
    dependentsOf: (tx, id) => modelDependents.onConnection(tx, id),
  })

  const connectionNames = connections.names
  const priceParts = await createPriceParts({
    ...shared,
    registry,
    shippedPrices: options.shippedPrices ?? {
      ...{ entries: shippedPrices, date: shippedPricesDate, providerOfHost },
    },
    connectionNames,
  })
  const {
    usageRecorders,
    close: closeUsage,
    ...usage
  } = createUsage({
    ...shared,
    requestCost: priceParts.requestCost,
    metricNames,
    filesToReread: fileParts.rereading.remaining,
  })
  const { webhooks } = createWebhookParts({ ...shared, ...options })
  const { deleteEndedLimits, closeLedger, admit, ...limitParts } = await createLimitParts({
    ...{ ...shared, ...options, ...priceParts, ...groupParts },
    ...{ usageRecorders, isOnlyProcess, connectionNames, webhooks, metrics: usage.metrics },
  })
  const storedResponses = createStoredResponses(shared)
  const deletions = {
    "delete expired audit events": auditProcessing.deleteExpired,
    "delete expired responses": storedResponses.deleteExpired,
    "delete expired usage records": usage.deleteExpiredUsage,
    "delete what no longer counts toward limits": deleteEndedLimits,
  }
  deleteHourly(deletions, { ...options, background, isClockTrusted })

  const functions = await createFunctionParts({ ...shared, hostServices: () => functionServices })
  const { functionRegistry } = functions
  const modelParts = await createModelParts({
    ...{ ...shared, ...priceParts, transfers },
    ...{ registry, functionRegistry },
  })
  const { catalogue, modelDependents, modelTransfer } = modelParts
  catalogue.onChange(inFlight.recheckAccess)
  const knowledge = await createKnowledge({
    ...shared,
    ...options,
    ...priceParts,
    fileParts,
    registry,
    transfers,
    resolveModel: catalogue.resolve,
    dependentsOf: modelDependents.onCollection,
    askRewritingModel: (request) => askRewritingModel(request),
  })
  const { completions, trackResponse, functionServices, closeBodyThread } = createCompletionParts({
    ...options,
    ...{ log, settings, bodyMemory, fairLoop, inFlight, limits, catalogue, admit },
    ...{ storedResponses, fileParts, knowledge, functions },
  })
  const askRewritingModel = createRewritingModel({ completions, catalogue })
  const conversations = await createConversations({
    ...shared,
    streams: options,
    inFlight,
    registry,
    catalogue,
    completions,
    attaching: knowledge.attaching,
    nameOfUser: async (id) => (await users.get(id)).name,
    readersOf: knowledge.collections.readersOf,
    standings: authStore.accessByUser,
    personalInstructions: promptParts.personalInstructions.textOf,
  })
  const userRemoval = createUserRemoval({
    ...{ ...shared, users, groupStore, transfers },
    findDependents: modelDependents.ofOwner,
    removeModels: modelTransfer.removeAll,
    waitForModels: catalogue.waitForChanges,
    transferable: [
      modelTransfer.all,
      // Files that are in a collection, which still is the previous owner's.
      fileParts.fileTransfer.all,
      knowledge.collectionTransfer.all,
      promptParts.promptTransfer.all,
      conversations.chatTransfer,
      createFunctionTransfer(shared),
    ],
  })
  const nativeProxy = createNativeProxy({
    ...{ ...shared, registry, catalogue },
    ...{ admit, trackResponse, bodyMemory },
  })

  await seed({ config, users, keys: keyParts.keys, functions, log })
  await queue.start()

  return {
    ...shared,
    auditProcessing,
    users,
    userRemoval,
    ...groupParts,
    ...signIn,
    ...keyParts,
    authenticate: authentication.authenticate,
    scim,
    sso,
    inFlight,
    storage,
    storageLimit,
    bodyMemory,
    registry,
    connections,
    ...modelParts,
    completions,
    storedResponses,
    conversations,
    ...promptParts,
    ...priceParts,
    ...limitParts,
    webhooks,
    nativeProxy,
    ...usage,
    ...fileParts,
    knowledge,
    functions,

    /** Flushes buffered records and releases all resources. */
    close: async (): Promise<void> => {
      // From here on, nothing starts by itself; what follows stores what is still in memory.
      await bus.close()
      await background.close()
      await functions.close()
      await queue.close()
      await knowledge.close()
      await fileParts.close()
      await conversations.close()
      await closeBodyThread()
      await closeLedger()
      await closeUsage()
      await authentication.close()
      await failures.close()
      await auditProcessing.close()
      registry.close()
      await db.close()
    },
  }
}

export type Gateway = Awaited<ReturnType<typeof createGateway>>
