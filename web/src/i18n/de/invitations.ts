export const invitations = {
  "invitations.title": "Einladungen",
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
  "invite.title": "Sie sind eingeladen",
  "invite.lead": "Erstellen Sie Ihr Konto. Die Einladung gilt bis {date}.",
  "invite.signedIn":
    "Sie sind als {email} angemeldet. Um ein weiteres Konto zu erstellen, melden Sie sich ab, und öffnen Sie den Link erneut.",
  "invite.continue": "Weiter zu Ihren Chats",
  "invite.accepted": "Diese Einladung wurde bereits verwendet",
  "invite.accepted.do":
    "Wenn Sie selbst sie verwendet haben, melden Sie sich an. Bitten Sie andernfalls um eine neue Einladung.",
  "invite.revoked": "Diese Einladung wurde widerrufen",
  "invite.revoked.do": "Bitten Sie die Person, von der die Einladung stammt, um eine neue.",
  "invite.expired": "Diese Einladung ist abgelaufen",
  "invite.expired.do": "Bitten Sie die Person, von der die Einladung stammt, um eine neue.",
  "invite.incomplete": "Dieser Einladungslink ist unvollständig",
  "invite.incomplete.do": "Öffnen Sie den ganzen Link, oder bitten Sie um einen neuen.",
  "invite.void": "Diese Einladung ist nicht mehr gültig",
  "invite.void.do": "Bitten Sie die Administration um eine neue.",
}
