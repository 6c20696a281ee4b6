import type { limits as english } from "../../../../../server/src/i18n/limits.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const limits = {
  limit_target_id: "Geben Sie die ID an, für die das Limit gilt; für alle gibt es keine.",
  limit_target_unknown: "Diese Gruppe, Person, Verbindung oder diesen Schlüssel gibt es nicht.",
  limit_time_zone_unknown: "Geben Sie eine Zeitzone der IANA-Datenbank ein, etwa Europe/Berlin.",
  limit_window_missing: "Wählen Sie den Zeitraum, in dem das Limit zählt.",
  limit_concurrency_window: "Ein Limit für gleichzeitige Anfragen hat nur den Zeitraum „total“.",
  limit_concurrency_soft: "Ein Limit für gleichzeitige Anfragen kann nicht weich sein.",
  limit_total_rolling: "Nur Zeiträume, die enden, können gleitend sein.",
  limit_model_twice: "Ein Limit eines Modells kann nicht auf ein anderes Modell beschränkt werden.",
  limit_field_fixed:
    "Das lässt sich nicht ändern. Löschen Sie das Limit und legen Sie ein neues an.",
} satisfies TranslationsOf<typeof english>
