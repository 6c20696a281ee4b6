export const invitations = {
  "invitations.lead":
    "Links, mit denen Personen selbst ein Konto erstellen können, auch wenn die Registrierung ausgeschaltet ist.",
  "invitations.create": "Einladung erstellen",
  "invitations.createLead":
    "Sie erhalten einen Link, den Sie einer Person senden. Er funktioniert nur einmal.",
  "invitations.none": "Noch keine Einladungen",
  "invitations.noneHelp":
    "Erstellen Sie eine Einladung, und senden Sie den Link an eine neue Person.",
  "invitations.recipient": "Für",
  "invitations.anyone": "Alle mit dem Link",
  "invitations.oneRecipient": "eine Person",
  "invitations.by": "Erstellt von {name}",
  "invitations.days": { one: "Nach {count} Tag", other: "Nach {count} Tagen" },
  "invitations.emailHelp":
    "Nur diese Adresse kann den Link verwenden. Leer lassen, damit die Person selbst eine angibt.",
  "invitations.addGroup": "Gruppe hinzufügen",
  "invitations.created": "Die Einladung ist bereit",
  "invitations.createdLead":
    "Senden Sie diesen Link an {recipient}. Er wird nur jetzt angezeigt, funktioniert nur einmal und läuft am {date} ab.",
  "invitations.revoke": "Einladung widerrufen",
  "invitations.revokeOne": "Einladung widerrufen: {name}",
  "invitations.revokeHelp": "Der Link funktioniert ab sofort nicht mehr.",
  "invitations.state.open": "Offen",
  "invitations.state.accepted": "Verwendet",
  "invitations.state.revoked": "Widerrufen",
  "invitations.state.expired": "Abgelaufen",
  "invitations.state.void": "Ungültig",
}
