import { z } from "zod"

export const AccessGrant = z
  .object({
    principal_type: z.enum(["user", "group"]),
    /** An id, or `everyonePrincipalId`. */
    principal_id: z.string().min(1).max(200),
    permission: z.enum(["read", "write"]),
  })
  .meta({ id: "AccessGrant" })
export type AccessGrant = z.output<typeof AccessGrant>

/** `principal_id` of grants to every account. */
export const everyonePrincipalId = "*"

export const AccessGrants = z.array(AccessGrant).max(1000)

/** Whether a request body grants anything; removing all grants does not. */
export const hasGrants = ({
  access_grants,
}: {
  access_grants?: readonly AccessGrant[] | undefined
}): boolean => (access_grants ?? []).length > 0
