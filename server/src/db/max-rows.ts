/** Fixed limits, enforced in code. */
export const maxRows = {
  messagesPerChat: 20_000,
  projectsPerUser: 200,
  filesPerCollection: 100_000,
  collectionFilesPerUser: 1_000_000,
  questionsPerCollection: 500,
  sessionsPerUser: 1000,
  keysPerUser: 100,
  /** Service keys. */
  keysPerGroup: 100,
  /** Set by anybody but administrators, for a key or for a member of a group. */
  delegatedLimitsPerTarget: 20,
  /** So that the managers of one group leave room for others. */
  delegatedLimitsPerGroup: 5000,
  /** Set by a user for their own keys. */
  ownLimitsPerUser: 200,
  promptsPerUser: 500,
  /** The oldest are deleted beyond it. */
  responsesPerUser: 10_000,
  itemsPerResponse: 10_000,
  /** The oldest are deleted beyond it. */
  webhookEvents: 10_000,
  /** Held in memory, so that requests need no query. */
  modelGrantsPerUser: 50_000,
  modelGrants: 500_000,
} as const
