import type { limits as english } from "../../../../../server/src/i18n/limits.ts"
import type { TranslationsOf } from "../../server-messages.ts"

/** Of a date as messages contain it: `2026-12-01 00:00 (UTC)`. */
const toGermanDate = (date: string): string => date.replace(/^(\d+)-(\d+)-(\d+)/, "$3.$2.$1")

export const limits = {
  limit_target_id: "Geben Sie die ID an, für die das Limit gilt; für alle gibt es keine.",
  limit_target_unknown: "Diese Gruppe, Person, Verbindung oder diesen Schlüssel gibt es nicht.",
  limit_time_zone_unknown: "Geben Sie eine Zeitzone der IANA-Datenbank ein, etwa Europe/Berlin.",
  limit_window_missing: "Wählen Sie den Zeitraum, in dem das Limit zählt.",
  limit_concurrency_window: "Ein Limit für gleichzeitige Anfragen hat nur den Zeitraum „total“.",
  limit_concurrency_soft: "Ein Limit für gleichzeitige Anfragen kann nicht weich sein.",
  limit_raise_end_missing: "Geben Sie Datum und Uhrzeit ein.",
  limit_raise_ended: "Geben Sie einen Zeitpunkt in der Zukunft ein.",
  limit_raise_too_small: "Geben Sie mehr als den Betrag des Limits ein.",
  limit_total_rolling: "Nur Zeiträume, die enden, können gleitend sein.",
  limit_model_twice: "Ein Limit eines Modells kann nicht auf ein anderes Modell beschränkt werden.",
  limit_field_fixed:
    "Das lässt sich nicht ändern. Löschen Sie das Limit und legen Sie ein neues an.",
  limit_not_yours:
    "Sie können nur Limits für Ihre eigenen API-Schlüssel festlegen und für Mitglieder und Dienstschlüssel von Gruppen, die Sie verwalten. Limits der Administration ändert nur diese.",
  limit_of_group_target: "Wer eine Gruppe verwaltet, begrenzt ihre Mitglieder und Dienstschlüssel.",
  limit_target_not_in_group: "Das ist weder ein Mitglied noch ein Dienstschlüssel der Gruppe.",
  limit_of_other_manager:
    "Wer die Gruppe mitverwaltet oder zur Administration gehört, wird nur von der Administration begrenzt.",
  limit_above_group: ({ max }) =>
    `Das Limit der Gruppe selbst ist ${max}. Geben Sie höchstens so viel ein.`,
  limit_above_group_cost: ({ dollars }) =>
    `Das Limit der Gruppe selbst ist ${dollars} Dollar. Geben Sie höchstens so viel ein.`,
  limit_count_reached: "Es gibt zu viele Limits. Löschen Sie zuerst einige.",
  limit_count_of_target_reached: ({ max }) =>
    `Davon kann es höchstens ${max} Limits geben. Löschen Sie zuerst eines.`,
  limit_count_of_keys_reached: ({ max }) =>
    `Ihre API-Schlüssel können zusammen höchstens ${max} Limits haben. Löschen Sie zuerst eines.`,
  limit_used_up_until: ({ name, date }) =>
    `Das Limit ${name} ist bis ${toGermanDate(date)} aufgebraucht.`,
  limit_nearly_used_up: ({ name, percent }) => `${percent} % des Limits ${name} sind verbraucht.`,
  limit_used_up: ({ name }) => `Das Limit ${name} ist aufgebraucht.`,
  limit_exceeded_by_request: ({ name }) =>
    `Diese Anfrage kann mehr verbrauchen, als das Limit ${name} zulässt. Kürzen Sie sie oder bitten Sie um eine kürzere Antwort.`,
  limit_rate_reached: ({ name, seconds }) =>
    `Das Limit ${name} ist erreicht. Versuchen Sie es in ${seconds} s erneut.`,
  limit_in_use: ({ name }) =>
    `Laufende Anfragen belegen den Rest des Limits ${name}. Versuchen Sie es gleich erneut.`,
  limit_without_price: ({ id }) =>
    `Der Preis des Modells „${id}“ ist unbekannt, und es gilt ein Limit für Kosten. Die Administration muss den Preis festlegen.`,
  limit_name: ({ metric, owner }) => `${owner} für ${metric}`,
  limit_name_with_window: ({ metric, window, owner }) => `${owner} für ${metric} ${window}`,
  limit_name_with_model: ({ name, model }) => `${name} mit dem Modell „${model}“`,
  limit_of_requests: "Anfragen",
  limit_of_tokens: "Tokens",
  limit_of_cost: "Kosten",
  limit_of_requests_in_flight: "gleichzeitige Anfragen",
  limit_per_minute: "pro Minute",
  limit_per_hour: "pro Stunde",
  limit_per_day: "pro Tag",
  limit_per_week: "pro Woche",
  limit_per_month: "pro Monat",
  limit_in_total: "insgesamt",
  limit_for_everyone: "aller Personen zusammen",
  limit_for_group: "Ihrer Gruppe",
  limit_for_user: "Ihres Kontos",
  limit_for_key: "dieses API-Schlüssels",
  limit_for_model: ({ id }) => `des Modells „${id}“`,
  limit_for_connection: "der Verbindungen dieses Modells",
} satisfies TranslationsOf<typeof english>
