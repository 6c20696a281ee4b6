export const start = {
  "session.signOut": "Abmelden",
  "session.signIn": "Anmelden",
  "session.signUp": "Konto erstellen",
  "session.lead":
    "Melden Sie sich mit dem Konto an, das Sie von der Administration erhalten haben.",
  "session.email": "E-Mail",
  "session.passwordHelp": "Verwenden Sie mindestens 8 Zeichen.",
  "session.showPassword": "Passwort anzeigen",
  "session.hidePassword": "Passwort verbergen",
  "session.noAccount": "Noch kein Konto?",
  "session.haveAccount": "Sie haben bereits ein Konto?",
  "session.signUpLead":
    "Möglicherweise muss die Administration Ihr Konto freigeben, bevor Sie es nutzen können.",
  "pending.title": "Warten auf Freigabe",
  "pending.lead":
    "Ihr Konto {email} muss noch von der Administration freigegeben werden. Danach geht es hier automatisch weiter.",
  "welcome.title": "Willkommen bei Portico",
  "welcome.lead":
    "Eine Adresse für alle Ihre Sprachmodelle. Erstellen Sie zuerst das Administratorkonto.",
  "welcome.create": "Administratorkonto erstellen",
  "welcome.setupCode": "Einrichtungscode",
  "welcome.setupCodeHelp":
    "Das Gateway schreibt ihn beim Start in sein Protokoll. Er belegt, dass Sie diesen Server betreiben.",
  "welcome.stepChat": "Chat",
  "welcome.stepDone": "Erledigt:",
  "source.lead":
    "Verbinden Sie eine Laufzeitumgebung auf Ihrem Rechner oder einen Anbieter mit API-Schlüssel.",
  "source.looking": "Suche nach einer Laufzeitumgebung unter {address}",
  "source.found": {
    one: "Ollama mit {count} Modell unter {address} gefunden.",
    other: "Ollama mit {count} Modellen unter {address} gefunden.",
  },
  "source.foundEmpty":
    "Ollama unter {address} gefunden. Es sind noch keine Modelle vorhanden. Laden Sie zuerst eines herunter.",
  "source.notFound":
    "Unter {address} wurde keine Laufzeitumgebung gefunden. Starten Sie Ollama, und suchen Sie erneut, oder verbinden Sie unten einen Anbieter.",
  "source.lookAgain": "Erneut suchen",
  "source.have": {
    one: "{count} Modell ist bereit.",
    other: "{count} Modelle sind bereit.",
  },
  "source.chat": "Chat beginnen",
  "source.pull": "Modell herunterladen",
  "source.guide": "Zuerst den Guide fragen",
  "source.skip": "Vorerst überspringen",
  "source.provider": "Anbieter verbinden",
  "source.providerHelp":
    "Wählen Sie einen aus, oder geben Sie die Adresse eines Servers mit OpenAI-kompatibler API ein.",
  "source.save": "Verbinden",
  "session.ended": "Ihre Sitzung wurde beendet. Melden Sie sich erneut an.",
  "session.endedTitle": "Ihre Sitzung wurde beendet",
  "session.endedLead":
    "Melden Sie sich als {email} an, um an derselben Stelle weiterzuarbeiten. Ihre Eingaben bleiben erhalten.",
  "session.someoneElse": "Mit einem anderen Konto anmelden",
  "session.signedIn": "Sie sind angemeldet",
  "session.signedInLead": "Schließen Sie diesen Tab, und kehren Sie zur vorherigen Seite zurück.",
  "connection.keyHelp": "Wird verschlüsselt gespeichert. Leer lassen, wenn keiner nötig ist.",
  "connection.keyStored": "Ein Schlüssel ist gespeichert. Leer lassen, um ihn beizubehalten.",
  "connection.keyKept":
    "Ein Schlüssel, der auf {hint} endet, ist gespeichert. Leer lassen, um ihn beizubehalten.",
  "connection.test": "Verbindung testen",
  "health.healthy": "In Ordnung",
  "health.resting": "Gestört",
  "health.unknown": "Noch nicht geprüft",
  "health.disabled": "Deaktiviert",
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
