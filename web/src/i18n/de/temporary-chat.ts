export const temporaryChat = {
  "temporary.title": "Temporärer Chat",
  "temporary.lead":
    "Dieser Chat wird nicht gespeichert. Angehängte Dateien bleiben unter „Dateien“ erhalten.",
  "temporary.note": "Dieser Chat wird nicht gespeichert.",
  "temporary.leaveTitle": "Diesen temporären Chat verlassen?",
  "temporary.leave": "Die Nachrichten werden nicht gespeichert und gehen verloren.",
  "temporary.leaveAction": "Chat verlassen",
}
