export const start = {
  "session.signOut": "Abmelden",
  "session.signIn": "Anmelden",
  "session.signUp": "Konto anlegen",
  "session.lead": "Mit dem Konto, das dir eine Administratorin oder ein Administrator gegeben hat.",
  "session.email": "E-Mail",
  "session.password": "Passwort",
  "session.passwordHelp": "Mindestens 8 Zeichen.",
  "session.name": "Name",
  "session.nameHelp": "So, wie andere ihn sehen.",
  "session.showPassword": "Passwort zeigen",
  "session.hidePassword": "Passwort verbergen",
  "session.noAccount": "Noch kein Konto?",
  "session.haveAccount": "Schon ein Konto?",
  "session.signUpLead": "Vielleicht muss es erst freigegeben werden, bevor man es nutzen kann.",
  "pending.title": "Wartet auf Freigabe",
  "pending.lead":
    "Das Konto {email} ist angelegt und muss noch freigegeben werden. Sobald das geschehen ist, geht es hier von selbst weiter.",
  "welcome.title": "Willkommen bei Portico",
  "welcome.lead":
    "Eine Adresse für alle Sprachmodelle. Lege das erste Konto an: Es verwaltet diesen Server.",
  "welcome.create": "Administratorkonto anlegen",
  "welcome.setupCode": "Einrichtungscode",
  "welcome.setupCodeHelp":
    "Das Gateway schreibt ihn beim Start in sein Protokoll. Er belegt, dass Sie diesen Server betreiben.",
  "welcome.stepAccount": "Konto",
  "welcome.stepSource": "Modelle",
  "welcome.stepChat": "Chat",
  "source.title": "Modellquelle verbinden",
  "source.lead":
    "Wo die Modelle laufen: auf dieser Maschine oder bei einem Anbieter mit API-Schlüssel.",
  "source.looking": "Suche eine Laufzeit unter {address}",
  "source.found": {
    one: "Ollama unter {address} gefunden, mit {count} Modell.",
    other: "Ollama unter {address} gefunden, mit {count} Modellen.",
  },
  "source.foundEmpty":
    "Ollama unter {address} gefunden. Es hat noch keine Modelle: Lade eines auf der Seite „Modelle“.",
  "source.notFound":
    "Unter {address} antwortet keine Laufzeit. Starte Ollama und suche erneut, oder verbinde unten einen Anbieter.",
  "source.lookAgain": "Erneut suchen",
  "source.have": {
    one: "{count} Modell ist bereit.",
    other: "{count} Modelle sind bereit.",
  },
  "source.chat": "Zum Chat",
  "source.pull": "Modell laden",
  "source.guide": "Zuerst den Guide fragen",
  "source.skip": "Später erledigen",
  "source.provider": "Anbieter verbinden",
  "source.providerHelp": "OpenAI oder alles, was dessen API spricht: vLLM, LM Studio, llama.cpp …",
  "source.save": "Verbinden",
}
