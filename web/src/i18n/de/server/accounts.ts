import type { accounts as english } from "../../../../../server/src/i18n/accounts.ts"
import type { TranslationsOf } from "../../server-messages.ts"

export const accounts = {
  email_invalid: "Geben Sie eine E-Mail-Adresse wie ada@example.com ein.",
  email_required: "Geben Sie Ihre E-Mail-Adresse ein.",
  email_in_use: ({ email }) => `${email} wird bereits verwendet.`,
  credentials_wrong: "Die E-Mail-Adresse oder das Passwort ist falsch.",
  password_wrong: "Das ist nicht Ihr aktuelles Passwort.",
  password_sign_in_off:
    "Die Anmeldung mit Passwort ist ausgeschaltet. Melden Sie sich über Ihren Identitätsanbieter an.",
  sign_up_off: "Die Registrierung ist ausgeschaltet. Bitten Sie die Administration um ein Konto.",
  sign_up_limit_reached:
    "Auf diesem Server können sich derzeit keine weiteren Personen registrieren. Bitten Sie die Administration um ein Konto.",
  sign_in_busy:
    "Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden erneut.",
  sign_in_attempts_exceeded: ({ seconds }) =>
    `Zu viele fehlgeschlagene Versuche. Versuchen Sie es in ${seconds} Sekunden erneut.`,
  setup_code_required:
    "Geben Sie den Einrichtungscode ein, den das Gateway beim Start in sein Protokoll geschrieben hat.",
  setup_code_wrong:
    "Der Einrichtungscode ist falsch. Kopieren Sie ihn aus dem Protokoll des Gateways.",
  invitation_invalid:
    "Dieser Einladungslink ist unvollständig oder wurde gelöscht. Bitten Sie um einen neuen.",
  invitation_deleted: "Die Einladung wurde gelöscht.",
  invitation_needs_password_sign_in:
    "Die Anmeldung mit Passwort ist ausgeschaltet, daher lassen sich Einladungen nicht verwenden.",
  account_pending: "Dieses Konto wartet auf die Freigabe durch die Administration.",
  account_deactivated: "Dieses Konto wurde deaktiviert.",
  account_not_active: "Dieses Konto ist nicht mehr aktiv.",
  account_is_active: ({ email }) => `${email} ist aktiv. Deaktivieren Sie zuerst das Konto.`,
  account_being_deleted: ({ email }) =>
    `Das Konto ${email} wird gerade gelöscht und kann nicht aktiviert werden. Legen Sie danach ein neues Konto an.`,
  address_already_released: ({ email }) => `Die Adresse ${email} wurde bereits freigegeben.`,
  last_administrator: ({ email }) =>
    `${email} ist das letzte aktive Administratorkonto. Geben Sie zuerst einem anderen Benutzer die Rolle „Admin“.`,
  administrator_required: "Dafür ist ein Administratorkonto erforderlich.",
  administrators_only: "Das können nur Admins tun.",
  credential_revoked: "Ihre Anmeldung wurde widerrufen. Melden Sie sich erneut an.",
  api_key_limit_reached: ({ max }) =>
    `Sie haben die Höchstzahl von ${max} API-Schlüsseln erreicht. Widerrufen Sie einen, um einen neuen zu erstellen.`,
  service_key_limit_reached: ({ max }) =>
    `Die Gruppe hat das Limit von ${max} Dienstschlüsseln erreicht. Widerrufen Sie einen, um einen neuen zu erstellen.`,
  api_key_path_invalid:
    "Geben Sie einen Pfad wie /v1/chat/completions oder einen Anfang wie /ollama/* ein.",
  group_exists: ({ name }) =>
    `Eine Gruppe namens ${name} gibt es bereits. Wählen Sie einen anderen Namen.`,
  group_manager_required: "Das können nur Administratoren und Verwalter der Gruppe.",
  group_manager_adds_by_email:
    "Nur Administratoren können Benutzer mit ihrer ID hinzufügen. Geben Sie die E-Mail-Adresse an.",
  group_manager_not_removable: "Nur Administratoren können Verwalter einer Gruppe entfernen.",
  no_account_with_email: ({ email }) => `Es gibt kein Konto mit der Adresse ${email}.`,
  rewriting_timeout_out_of_range:
    "Geben Sie mindestens 100 und höchstens 30.000 Millisekunden ein.",
  session_length_out_of_range: "Geben Sie mindestens eine Minute und höchstens 365 Tage ein.",
  retention_negative: "Geben Sie 0 oder mehr Tage ein.",
} satisfies TranslationsOf<typeof english>
