import type { auditRoutes } from "../../../server/src/audit/routes.ts"
import type { apiKeyRoutes, serviceKeyRoutes } from "../../../server/src/auth/api-key-routes.ts"
import type { invitationRoutes } from "../../../server/src/auth/invitation-routes.ts"
import type { authRoutes } from "../../../server/src/auth/routes.ts"
import type { connectionRoutes } from "../../../server/src/connections/routes.ts"
import type { answerRoutes } from "../../../server/src/conversations/answers/routes.ts"
import type { chatRoutes } from "../../../server/src/conversations/chats/routes.ts"
import type {
  changeEventRoutes,
  chatMessageRoutes,
} from "../../../server/src/conversations/messages/routes.ts"
import type { projectRoutes } from "../../../server/src/conversations/projects/routes.ts"
import type { ratingRoutes } from "../../../server/src/conversations/ratings/routes.ts"
import type { resumableRoutes } from "../../../server/src/files/resumable-routes.ts"
import type { fileRoutes } from "../../../server/src/files/routes.ts"
import type { functionRoutes } from "../../../server/src/functions/routes.ts"
import type { functionRunRoutes } from "../../../server/src/functions/run-routes.ts"
import type { groupRoutes } from "../../../server/src/groups/routes.ts"
import type { collectionRoutes } from "../../../server/src/knowledge/collections/routes.ts"
import type { embeddingModelRoutes } from "../../../server/src/knowledge/embedding/routes.ts"
import type { questionRoutes } from "../../../server/src/knowledge/question-sets/routes.ts"
import type { fileKnowledgeRoutes } from "../../../server/src/knowledge/reading/routes.ts"
import type { limitRoutes } from "../../../server/src/limits/routes.ts"
import type { modelRoutes } from "../../../server/src/models/routes.ts"
import type { overviewRoutes } from "../../../server/src/monitoring/overview-routes.ts"
import type { monitoringRoutes } from "../../../server/src/monitoring/routes.ts"
import type { userRemovalRoutes } from "../../../server/src/ownership/user-removal-routes.ts"
import type { priceRoutes } from "../../../server/src/prices/routes.ts"
import type { instructionRoutes } from "../../../server/src/prompts/instruction-routes.ts"
import type { promptRoutes } from "../../../server/src/prompts/routes.ts"
import type { provisioningRoutes } from "../../../server/src/scim/provisioning-routes.ts"
import type { settingsRoutes } from "../../../server/src/settings/routes.ts"
import type { identityRoutes } from "../../../server/src/sso/identity-routes.ts"
import type { providerRoutes } from "../../../server/src/sso/provider-routes.ts"
import type { signOnRoutes } from "../../../server/src/sso/routes.ts"
import type { storageRoutes } from "../../../server/src/storage/routes.ts"
import type { usageRoutes } from "../../../server/src/usage/routes.ts"
import type { userRoutes } from "../../../server/src/users/routes.ts"
import type { webhookRoutes } from "../../../server/src/webhooks/routes.ts"

type ValueOf<T> = T extends unknown ? T[keyof T] : never

/** The routes that the page calls with `api`; each declares its parameters, body and response. */
export type ApiRoute = ValueOf<
  | typeof auditRoutes
  | typeof invitationRoutes
  | typeof apiKeyRoutes
  | typeof serviceKeyRoutes
  | typeof authRoutes
  | typeof connectionRoutes
  | typeof answerRoutes
  | typeof changeEventRoutes
  | typeof chatMessageRoutes
  | typeof projectRoutes
  | typeof ratingRoutes
  | typeof chatRoutes
  | typeof resumableRoutes
  | typeof fileRoutes
  | typeof functionRoutes
  | typeof functionRunRoutes
  | typeof groupRoutes
  | typeof embeddingModelRoutes
  | typeof fileKnowledgeRoutes
  | typeof collectionRoutes
  | typeof questionRoutes
  | typeof limitRoutes
  | typeof modelRoutes
  | typeof overviewRoutes
  | typeof monitoringRoutes
  | typeof userRemovalRoutes
  | typeof instructionRoutes
  | typeof promptRoutes
  | typeof priceRoutes
  | typeof provisioningRoutes
  | typeof settingsRoutes
  | typeof identityRoutes
  | typeof providerRoutes
  | typeof signOnRoutes
  | typeof storageRoutes
  | typeof usageRoutes
  | typeof userRoutes
  | typeof webhookRoutes
>
