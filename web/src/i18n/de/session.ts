export const session = {
  "session.ended": "Ihre Sitzung wurde beendet. Melden Sie sich erneut an.",
  "session.endedTitle": "Ihre Sitzung wurde beendet",
  "session.endedLead":
    "Melden Sie sich als {email} an, um an derselben Stelle weiterzuarbeiten. Ihre Eingaben bleiben erhalten.",
  "session.someoneElse": "Mit einem anderen Konto anmelden",
  "session.signedIn": "Sie sind angemeldet",
  "session.signedInLead": "Schließen Sie diesen Tab, und kehren Sie zur vorherigen Seite zurück.",
}
