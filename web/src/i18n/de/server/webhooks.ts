import type { webhooks as english } from "../../../../../server/src/i18n/webhooks.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const webhooks = {
  webhook_has_credentials:
    "Entfernen Sie Benutzername und Passwort aus der Adresse: Der Empfänger prüft stattdessen die Signatur.",
  webhook_has_fragment: "Entfernen Sie das # und alles danach aus der Adresse.",
} satisfies TranslationsOf<typeof english>
