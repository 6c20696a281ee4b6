/** The gateway's messages on forms; the keys are its English texts. */
export const serverMessages: Record<string, string> = {
  "Enter a value.": "Geben Sie einen Wert ein.",
  "Enter a text.": "Geben Sie einen Text ein.",
  "Enter a name.": "Geben Sie einen Namen ein.",
  "Enter a title.": "Geben Sie einen Titel ein.",
  "Enter a question.": "Geben Sie eine Frage ein.",
  "Enter a model ID.": "Geben Sie eine Modell-ID ein.",
  "Enter a number.": "Geben Sie eine Zahl ein.",
  "Enter a whole number.": "Geben Sie eine ganze Zahl ein.",
  "Enter a number of at least {min}.": "Geben Sie eine Zahl ab {min} ein.",
  "Enter a number above {min}.": "Geben Sie eine Zahl über {min} ein.",
  "Enter a number of at most {max}.": "Geben Sie eine Zahl bis {max} ein.",
  "Use at least {min} characters.": "Verwenden Sie mindestens {min} Zeichen.",
  "Use at most {max} characters.": "Verwenden Sie höchstens {max} Zeichen.",
  "Add an entry.": "Fügen Sie einen Eintrag hinzu.",
  "Add at least {min} entries.": "Fügen Sie mindestens {min} Einträge hinzu.",
  "Use at most {max} entries.": "Verwenden Sie höchstens {max} Einträge.",
  "Choose one of: {choices}.": "Wählen Sie eine dieser Angaben: {choices}.",
  "Remove line breaks and control characters.": "Entfernen Sie Zeilenumbrüche und Steuerzeichen.",
  "Do not use spaces or control characters.": "Verwenden Sie keine Leer- oder Steuerzeichen.",

  "Enter an e-mail address such as ada@example.com.":
    "Geben Sie eine E-Mail-Adresse wie ada@example.com ein.",
  "{email} is already in use.": "{email} wird bereits verwendet.",
  "The e-mail address or password is incorrect.":
    "Die E-Mail-Adresse oder das Passwort ist falsch.",
  "This is not your current password.": "Das ist nicht Ihr aktuelles Passwort.",
  "Enter the setup code, which the gateway printed to its log on startup.":
    "Geben Sie den Einrichtungscode ein, den das Gateway beim Start in sein Protokoll geschrieben hat.",
  "The setup code is incorrect. Copy it from the gateway's log.":
    "Der Einrichtungscode ist falsch. Kopieren Sie ihn aus dem Protokoll des Gateways.",
  "A group named {name} already exists. Choose another name.":
    "Eine Gruppe namens {name} gibt es bereits. Wählen Sie einen anderen Namen.",
  "Use a time in the future, in epoch seconds.": "Wählen Sie einen Zeitpunkt in der Zukunft.",
  "Enter a path such as /v1/chat/completions, or a prefix such as /ollama/*.":
    "Geben Sie einen Pfad wie /v1/chat/completions oder einen Anfang wie /ollama/* ein.",

  "A model with the ID {id} already exists. Choose another ID.":
    "Ein Modell mit der ID {id} gibt es bereits. Wählen Sie eine andere ID.",
  'Model "{id}" not found. Choose one from the list of models.':
    "Das Modell „{id}“ gibt es nicht. Wählen Sie eines aus der Liste der Modelle.",
  'Choose another base model: "{base}" is itself based on "{id}".':
    "Wählen Sie ein anderes Basismodell: „{base}“ baut selbst auf „{id}“ auf.",
  "Choose another base model: at most {max} models can be based on one another.":
    "Wählen Sie ein anderes Basismodell: Höchstens {max} Modelle können aufeinander aufbauen.",
  "Choose another ID: only administrators may give a model the ID of its base model.":
    "Wählen Sie eine andere ID: Nur Admins können einem Modell die ID seines Basismodells geben.",

  "Enter a command.": "Geben Sie einen Befehl ein.",
  "Use letters, digits, hyphens, and underscores only.":
    "Verwenden Sie nur Buchstaben, Ziffern, Binde- und Unterstriche.",
  "Enter the text of the prompt.": "Geben Sie den Text des Prompts ein.",

  "Use an http or https URL.": "Verwenden Sie eine URL mit http oder https.",
  "Remove the credentials from the URL; use api_key or headers instead.":
    "Entfernen Sie die Zugangsdaten aus der URL; verwenden Sie stattdessen den API-Schlüssel oder Header.",
  "Remove the query and the fragment from the URL.":
    "Entfernen Sie alles ab „?“ oder „#“ aus der URL.",
  "Enter a valid header name.": "Geben Sie einen gültigen Header-Namen ein.",
  "This header is set by the gateway.": "Diesen Header setzt das Gateway.",
  "Use printable ASCII characters only.": "Verwenden Sie nur druckbare ASCII-Zeichen.",
  "Use printable ASCII characters without spaces.":
    "Verwenden Sie druckbare ASCII-Zeichen ohne Leerzeichen.",
  "Use 1 to 50 letters, digits, dots, underscores or hyphens.":
    "Verwenden Sie 1 bis 50 Buchstaben, Ziffern, Punkte, Unter- oder Bindestriche.",

  'A function with the ID "{id}" already exists.':
    "Eine Funktion mit der ID „{id}“ gibt es bereits.",
  "Start with a lowercase letter and use only a-z, 0-9 and _.":
    "Beginnen Sie mit einem Kleinbuchstaben und verwenden Sie nur a-z, 0-9 und _.",
  "Enter the source code.": "Geben Sie den Quelltext ein.",
  "Enter a host such as api.example.com, *.example.com or host:8443.":
    "Geben Sie einen Host wie api.example.com, *.example.com oder host:8443 ein.",
  "Include {{sources}} where the passages go, or leave this empty.":
    "Schreiben Sie {{sources}} an die Stelle der Textstellen, oder lassen Sie das Feld leer.",
}
