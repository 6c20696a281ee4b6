import { z } from "zod"
import { withMessage } from "../http/issue-messages.ts"
import { translatable } from "../i18n/message.ts"

const hasCredentials = (url: string): boolean => {
  const parsed = URL.parse(url)
  return parsed !== null && parsed.username + parsed.password !== ""
}

const WebhookUrl = z
  .url({ protocol: /^https?$/, ...withMessage(translatable("address_scheme_invalid")) })
  .max(2000)
  .refine((url) => !hasCredentials(url), withMessage(translatable("webhook_has_credentials")))
  .refine((url) => !url.includes("#"), withMessage(translatable("webhook_has_fragment")))

export const WebhookChange = z.strictObject({ url: WebhookUrl }).meta({ id: "WebhookChange" })
export type WebhookChange = z.output<typeof WebhookChange>

const attemptFields = {
  /** Of the response; null if there was none. */
  status: z.int().nullable(),
  /** Why the event was not accepted; null if it was. */
  error: z.string().nullable(),
}

const viewFields = {
  /** Null if no webhook is set up. */
  url: z.string().nullable(),
  /** Epoch seconds; so are all times. */
  secret_created_at: z.int().nullable(),
  /** The last attempt to deliver an event; null before the first. */
  last_delivery: z.object({ type: z.string(), at: z.int(), ...attemptFields }).nullable(),
  /** Events that were not accepted yet, and are sent again for a day. */
  waiting: z.int(),
}

export const WebhookView = z.object(viewFields).meta({ id: "Webhook" })
export type WebhookView = z.output<typeof WebhookView>

export const WebhookWithSecret = z
  .object({
    ...viewFields,
    /** By which the receiver checks signatures; only if it was just created. */
    secret: z.string().nullable(),
  })
  .meta({ id: "WebhookWithSecret" })
export type WebhookWithSecret = z.output<typeof WebhookWithSecret>

export const WebhookTest = z
  .object({ ok: z.boolean(), ...attemptFields, duration_ms: z.int() })
  .meta({ id: "WebhookTest" })
export type WebhookTest = z.output<typeof WebhookTest>
