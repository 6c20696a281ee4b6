export const temporaryChat = {
  "temporary.title": "Temporärer Chat",
  "temporary.lead":
    "Dieser Chat wird nicht gespeichert. Angehängte Dateien bleiben unter Ihren Dateien.",
  "temporary.note": "Dieser Chat wird nicht gespeichert.",
  "temporary.leaveTitle": "Diesen temporären Chat verlassen?",
  "temporary.leave": "Seine Nachrichten werden nicht gespeichert und gehen verloren.",
  "temporary.leaveAction": "Chat verlassen",
}
