export const prompts = {
  "prompts.lead": "Texte, die Sie oft verwenden. Fügen Sie sie im Chat mit / ein.",
  "prompts.create": "Prompt erstellen",
  "prompts.createLead":
    "Speichern Sie einen Text unter einem Befehl, und fügen Sie ihn in jedem Chat ein.",
  "prompts.search": "Prompts suchen",
  "prompts.none": "Noch keine Prompts",
  "prompts.noneHelp":
    "Speichern Sie einen Text, den Sie oft verwenden, und fügen Sie ihn dann im Chat mit / ein.",
  "prompts.command": "Befehl",
  "prompts.commandHelp": "Wird im Chat nach / eingegeben.",
  "prompts.contentHelp":
    "{{name}} ergibt ein Feld zum Ausfüllen, {{tone|freundlich}} eines mit Vorgabe und {{tone:förmlich,freundlich}} eine Auswahl.",
  "prompts.variables": "Variablen",
  "prompts.automatic": "wird automatisch ausgefüllt",
  "prompts.onlyOwnerShares": "Nur Eigentümer und Admins können diesen Prompt teilen oder löschen.",
  "prompts.delete": "Prompt löschen",
  "prompts.deleteHelp":
    "Chats behalten den Text, den sie bereits enthalten. Das lässt sich nicht rückgängig machen.",
  "prompts.add": "Prompt einfügen",
  "prompts.save": "Als Prompt speichern",
  "prompts.noMatch": "Kein Prompt passt",
  "prompts.by": "von {name}",
  "prompts.fillIn": "„{name}“ ausfüllen",
  "prompts.insert": "Einfügen",
  "prompts.use": "In neuem Chat verwenden",
  "prompts.useOne": "{name} in neuem Chat verwenden",
  "keyboard.prompt": "Prompt einfügen (am Anfang einer Nachricht)",
  "instructions.title": "Anweisungen für jeden Chat",
  "instructions.lead": "Was Modelle über Sie wissen sollten und wie sie antworten sollen.",
  "instructions.help":
    "Geht mit jeder Nachricht in Ihren eigenen Chats an das Modell, aber nicht mit API-Anfragen.",
  "instructions.placeholder":
    "Zum Beispiel: Ich arbeite im Hafenamt. Kurz antworten, metrische Einheiten verwenden.",
  "models.starters": "Startvorschläge",
  "models.startersHelp": "Bis zu vier Vorschläge auf der Startseite für dieses Modell.",
  "models.starter": "Startvorschlag {count}",
}
