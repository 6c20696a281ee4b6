import type { ownership as english } from "../../../../../server/src/i18n/ownership.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const ownership = {
  person_required: "Wählen Sie eine Person.",
  account_not_found: "Es gibt kein Konto mit dieser ID oder E-Mail-Adresse.",
  person_not_active: ({ name }) => `${name} hat kein aktives Konto. Wählen Sie eine andere Person.`,
  person_is_owner: ({ name }) => `${name} ist bereits Eigentümer.`,
  remaining_account_required: "Wählen Sie ein Konto, das bestehen bleibt.",
  group_deleted: "Diese Gruppe wurde gelöscht. Wählen Sie eine andere.",
  transfer_not_allowed: "Nur der Eigentümer und Admins können dies übergeben.",
  transfer_conflict: "Jemand anderes hat dies gerade übergeben. Versuchen Sie es erneut.",
  new_owner_limit_exceeded: ({ max, objects }) =>
    `Der neue Eigentümer würde die Grenze von ${max} ${objects} überschreiten. Wählen Sie eine andere Person, oder löschen Sie etwas.`,
  new_owner_model_limit_exceeded: ({ max }) =>
    `Der neue Eigentümer hätte mehr als ${max} Modelle (MAX_MODELS).`,
  new_owner_cannot_use_base_model: ({ base, id }) =>
    `Der neue Eigentümer darf ${base} nicht verwenden, worauf das Modell ${id} beruht.`,
  model_not_for_administrators: ({ id }) =>
    `Das Modell ${id} kann nicht an einen Admin übergeben werden: Ein anderes Modell hat dieselbe ID.`,
  model_only_for_administrators: ({ id }) =>
    `Das Modell ${id} kann nur an einen Admin übergeben werden: Ein anderes Modell hat dieselbe ID.`,
  account_still_adding_data:
    "Dieses Konto fügt noch Daten hinzu. Deaktivieren Sie es zuerst, oder versuchen Sie es erneut.",
} satisfies TranslationsOf<typeof english>
