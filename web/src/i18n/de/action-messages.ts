/** Why the gateway refuses an action; the keys are its English texts. */
export const actionMessages: Record<string, string> = {
  "This account is waiting for an administrator's approval.":
    "Dieses Konto wartet auf die Freigabe durch die Administration.",
  "This account has been deactivated.": "Dieses Konto wurde deaktiviert.",
  "This account is no longer active.": "Dieses Konto ist nicht mehr aktiv.",
  "The credential used for this request was revoked.":
    "Ihre Anmeldung wurde widerrufen. Melden Sie sich erneut an.",
  "Password sign-in is turned off. Sign in with your identity provider.":
    "Die Anmeldung mit Passwort ist ausgeschaltet. Melden Sie sich über Ihren Identitätsanbieter an.",
  "Password sign-in is turned off, so invitations cannot be used.":
    "Die Anmeldung mit Passwort ist ausgeschaltet, daher lassen sich Einladungen nicht verwenden.",
  "Sign-up is turned off. Ask an administrator for an account.":
    "Die Registrierung ist ausgeschaltet. Bitten Sie die Administration um ein Konto.",
  "This gateway has reached its limit for sign-ups. Ask an administrator for an account.":
    "Auf diesem Server können sich derzeit keine weiteren Personen registrieren. Bitten Sie die Administration um ein Konto.",
  "Too many people are signing in right now. Try again in a few seconds.":
    "Gerade melden sich zu viele Personen an. Versuchen Sie es in einigen Sekunden erneut.",
  "Too many failed attempts. Try again in {seconds} seconds.":
    "Zu viele fehlgeschlagene Versuche. Versuchen Sie es in {seconds} Sekunden erneut.",
  "This invitation link is incomplete or was deleted. Ask for a new one.":
    "Dieser Einladungslink ist unvollständig oder wurde gelöscht. Bitten Sie um einen neuen.",
  "The invitation was deleted.": "Die Einladung wurde gelöscht.",
  "There is no account with this ID or email address.":
    "Es gibt kein Konto mit dieser ID oder E-Mail-Adresse.",
  "{name} has no active account. Choose another person.":
    "{name} hat kein aktives Konto. Wählen Sie eine andere Person.",
  "{name} already owns this.": "{name} ist bereits Eigentümer.",
  "Choose a person.": "Wählen Sie eine Person.",
  "Choose an account that remains.": "Wählen Sie ein Konto, das bestehen bleibt.",
  "This group was deleted. Choose another one.":
    "Diese Gruppe wurde gelöscht. Wählen Sie eine andere.",
  "Only the owner and administrators can hand this over.":
    "Nur der Eigentümer und Admins können dies übergeben.",
  "Someone else just handed this over. Try again.":
    "Jemand anderes hat dies gerade übergeben. Versuchen Sie es erneut.",
  "The new owner cannot use {base}, on which the model {id} is based.":
    "Der neue Eigentümer darf {base} nicht verwenden, worauf das Modell {id} beruht.",
  "The model {id} cannot be handed over to an administrator: another model has its ID.":
    "Das Modell {id} kann nicht an einen Admin übergeben werden: Ein anderes Modell hat dieselbe ID.",
  "The model {id} can only be handed over to an administrator: another model has its ID.":
    "Das Modell {id} kann nur an einen Admin übergeben werden: Ein anderes Modell hat dieselbe ID.",
  "The new owner would exceed the limit of {max} {objects}. Choose another person, or delete some.":
    "Der neue Eigentümer würde die Grenze von {max} {objects} überschreiten. Wählen Sie eine andere Person, oder löschen Sie etwas.",
  "The new owner would have more than {max} models (MAX_MODELS).":
    "Der neue Eigentümer hätte mehr als {max} Modelle (MAX_MODELS).",
  "This account is still adding data. Deactivate it first, or try again.":
    "Dieses Konto fügt noch Daten hinzu. Deaktivieren Sie es zuerst, oder versuchen Sie es erneut.",
  "This requires an administrator account.": "Dafür ist ein Administratorkonto erforderlich.",
  "Only administrators can do this.": "Das können nur Admins tun.",
  "{email} is the last active administrator. Make another user an administrator first.":
    "{email} ist das letzte aktive Administratorkonto. Geben Sie zuerst einem anderen Benutzer die Rolle „Admin“.",
  "The account {email} is being deleted and cannot be activated. Create a new account when that is done.":
    "Das Konto {email} wird gerade gelöscht und kann nicht aktiviert werden. Legen Sie danach ein neues Konto an.",
  "{email} is active. Deactivate the account first.":
    "{email} ist aktiv. Deaktivieren Sie zuerst das Konto.",
  "The address {email} was already released.": "Die Adresse {email} wurde bereits freigegeben.",
  "You have reached the limit of {max} API keys. Revoke one to create another.":
    "Sie haben die Höchstzahl von {max} API-Schlüsseln erreicht. Widerrufen Sie einen, um einen neuen zu erstellen.",
  'No connection currently offers the model "{id}".':
    "Derzeit bietet keine Verbindung das Modell „{id}“ an.",
  "This connection is configured by the environment variable {variable} and cannot be changed here.":
    "Diese Verbindung ist durch die Umgebungsvariable {variable} festgelegt und lässt sich hier nicht ändern.",
  "The id {id} is taken or too similar to that of another model. Choose another id.":
    "Die ID {id} ist vergeben oder der eines anderen Modells zu ähnlich. Wählen Sie eine andere ID.",
  "You do not have permission to change the model {id}.":
    "Sie dürfen das Modell {id} nicht ändern.",
  "Only the file's owner can do this.": "Das kann nur die Person tun, der die Datei gehört.",
  "You can read this collection, but not change it.":
    "Sie können diese Sammlung lesen, aber nicht ändern.",
  "File not found in this collection.": "Diese Datei ist nicht in der Sammlung.",
  "Prompt not found.": "Diesen Prompt gibt es nicht mehr.",
  "You can use this prompt, but not change it.":
    "Sie können diesen Prompt verwenden, aber nicht ändern.",
  "You already have a project named {name}. Choose another name.":
    "Sie haben bereits ein Projekt namens {name}. Wählen Sie einen anderen Namen.",
  "Version {version} was saved in the meantime. Reload the function and apply your changes again.":
    "Inzwischen wurde Version {version} gespeichert. Laden Sie die Funktion neu, und nehmen Sie Ihre Änderungen noch einmal vor.",
  'The function "{name}" was cancelled.': "Die Funktion „{name}“ wurde abgebrochen.",
  'The function "{name}" failed: {reason}': "Die Funktion „{name}“ ist fehlgeschlagen: {reason}",
  "This answer is still being written. Wait for it or stop it first.":
    "Diese Antwort wird noch geschrieben. Warten Sie auf sie, oder stoppen Sie sie zuerst.",
  "The previous answer is still being written. Wait for it or stop it first.":
    "Die vorherige Antwort wird noch geschrieben. Warten Sie auf sie, oder stoppen Sie sie zuerst.",
  "You wrote this version. Rate the model's own answer.":
    "Diese Fassung stammt von Ihnen. Bewerten Sie die Antwort des Modells.",
  "This chat is too large to copy. The limit is {max} MB.":
    "Dieser Chat ist zu groß zum Kopieren. Höchstens {max} MB sind möglich.",
  "The import timed out. Try again.": "Der Import hat zu lange gedauert. Versuchen Sie es erneut.",
  "This was changed by someone else. Try again.":
    "Das wurde inzwischen von jemand anderem geändert. Versuchen Sie es erneut.",
  "This would exceed your storage limit of {limit}: {used}. Delete what you no longer need.":
    "Damit wäre Ihr Speicherlimit von {limit} überschritten. Löschen Sie, was Sie nicht mehr benötigen.",
  "This would exceed your storage limit of {limit}.":
    "Damit wäre Ihr Speicherlimit von {limit} überschritten.",
  "This would exceed the owner's storage limit (MAX_STORAGE). Ask the owner to delete what they no longer need.":
    "Damit wäre das Speicherlimit der Person überschritten, der die Inhalte gehören. Bitten Sie sie, nicht mehr Benötigtes zu löschen.",
  "This would exceed the gateway's storage limit of {limit} for all users together (MAX_STORAGE). Ask your administrator to raise it or free up space.":
    "Damit wäre das Speicherlimit des Servers von {limit} überschritten. Bitten Sie die Administration, es zu erhöhen oder Platz zu schaffen.",
  "The gateway is out of disk space, so this was not saved. Ask your administrator to delete data or to enlarge the disk; signing in and deleting still work.":
    "Auf dem Server ist kein Speicherplatz mehr frei, deshalb wurde nichts gespeichert. Bitten Sie die Administration, Daten zu löschen oder den Datenträger zu vergrößern; Anmelden und Löschen funktionieren weiterhin.",
  "The gateway is shutting down. Retry the request.":
    "Der Server wird heruntergefahren. Versuchen Sie es gleich noch einmal.",
  "The gateway cannot reach its database. Try again shortly.":
    "Der Server erreicht seine Datenbank nicht. Versuchen Sie es gleich noch einmal.",
  "An internal error occurred.": "Ein interner Fehler ist aufgetreten.",
  "Internal error. See the gateway's log for details.":
    "Ein interner Fehler ist aufgetreten. Einzelheiten stehen im Protokoll des Gateways.",
}
