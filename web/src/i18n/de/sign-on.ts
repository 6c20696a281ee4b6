export const signOn = {
  "session.with": "Mit {provider} anmelden",
  "session.or": "oder",
  "session.byPassword": "Mit Passwort anmelden",
  "session.leadProvider": "Melden Sie sich mit dem Konto Ihrer Organisation an.",
  "problem.lead": "Sie sind nicht angemeldet.",
  "problem.leadIn": "An Ihrem Konto wurde nichts geändert.",
  "problem.toSignIn": "Zur Anmeldung",
  "problem.toAccount": "Zu Ihrem Konto",
  "problem.admins": "Für die Administration: Anfrage {request}, {problem}",
  "problem.unknown_provider": "Dieser Anbieter steht für die Anmeldung nicht mehr zur Verfügung",
  "problem.unknown_provider.do": "Wählen Sie eine andere Anmeldemethode.",
  "problem.provider_unreachable": "{provider} antwortet nicht",
  "problem.provider_unreachable.do":
    "Versuchen Sie es in einer Minute erneut. Wenn das Problem bestehen bleibt, wenden Sie sich an die Administration.",
  "problem.provider_refused": "{provider} hat die Anmeldung abgelehnt",
  "problem.provider_refused.do":
    "Möglicherweise haben Sie abgebrochen, oder Ihr Konto bei {provider} hat keinen Zugriff auf diesen Dienst. Versuchen Sie es erneut, oder wenden Sie sich an die Administration von {provider}.",
  "problem.client_refused": "{provider} erkennt diesen Server nicht",
  "problem.client_refused.do":
    "Wenden Sie sich an die Administration. Client-ID, Client-Secret oder Redirect-URI stimmen nicht mit den Einstellungen bei {provider} überein. Sie lassen sich unter Verwaltung → Single Sign-on testen.",
  "problem.invalid_answer": "Die Antwort von {provider} konnte nicht überprüft werden",
  "problem.invalid_answer.do":
    "Versuchen Sie es erneut. Wenn es wieder geschieht, wenden Sie sich an die Administration: Die Antwort wurde möglicherweise manipuliert.",
  "problem.expired": "Diese Anmeldung ist abgelaufen",
  "problem.expired.do":
    "Sie hat länger als 10 Minuten gedauert, wurde in einem anderen Browser begonnen oder wurde bereits verwendet. Beginnen Sie von vorn.",
  "problem.deactivated": "Dieses Konto ist deaktiviert",
  "problem.deactivated.do":
    "Ihre Chats und Dateien bleiben erhalten. Wenn Sie Zugriff haben sollten, wenden Sie sich an die Administration.",
  "problem.no_account": "Sie haben hier kein Konto",
  "problem.no_account.do":
    "Bitten Sie die Administration, eines zu erstellen, und melden Sie sich dann erneut an.",
  "problem.no_administrator": "Für diesen Server gibt es noch kein Administratorkonto",
  "problem.no_administrator.do":
    "Erstellen Sie das erste Konto mit Passwort auf der Willkommensseite. Danach können sich alle mit {provider} anmelden.",
  "problem.email_missing": "{provider} hat Ihre E-Mail-Adresse nicht übermittelt",
  "problem.email_missing.do":
    "Bitten Sie die Administration von {provider}, Ihre E-Mail-Adresse einzutragen und für diesen Dienst freizugeben.",
  "problem.email_unverified": "Ihre E-Mail-Adresse ist nicht bestätigt",
  "problem.email_unverified.do":
    "Bestätigen Sie sie bei {provider}, und melden Sie sich dann erneut an.",
  "problem.domain_not_allowed": "Ihre E-Mail-Adresse gehört nicht zu dieser Organisation",
  "problem.domain_not_allowed.do":
    "Melden Sie sich bei {provider} mit dem Konto Ihrer Organisation an.",
  "problem.link_needed": "Es gibt bereits ein Konto, das zu Ihrem passt",
  "problem.link_needed.do":
    "Melden Sie sich dort wie bisher an, und verknüpfen Sie {provider} unter „Konto“. Wenn das nicht möglich ist, wenden Sie sich an die Administration.",
  "problem.already_linked": "Dieses Konto bei {provider} ist mit einer anderen Person verknüpft",
  "problem.already_linked.do":
    "Melden Sie sich mit {provider} an, um zu sehen, mit welchem Konto es verknüpft ist, und heben Sie die Verknüpfung dort auf. Oder wählen Sie ein anderes Konto bei {provider}.",
  "problem.ambiguous": "Mehrere Konten könnten Ihres sein",
  "problem.ambiguous.do":
    "Wenden Sie sich an die Administration. Mehrere Konten haben dieselbe externe ID.",
  "problem.session_changed":
    "Sie haben sich inzwischen abgemeldet oder mit einem anderen Konto angemeldet",
  "problem.session_changed.do":
    "Melden Sie sich erneut an, und verknüpfen Sie {provider} dann unter „Konto“.",
  "problem.unavailable": "Die Anmeldung ist vorübergehend nicht möglich",
  "problem.unavailable.do": "Versuchen Sie es in einer Minute erneut.",
  "signOn.title": "Single Sign-on",
  "links.lead": "Konten bei Identitätsanbietern, mit denen Sie sich anmelden können.",
  "links.leadOther":
    "Konten bei Identitätsanbietern, mit denen sich dieser Benutzer anmelden kann.",
  "links.link": "{provider} verknüpfen",
  "links.unlink": "Verknüpfung aufheben",
  "links.unlinkOne": "Verknüpfung mit {provider} aufheben",
  "links.unlinkHelp":
    "Die Anmeldung damit ist nicht mehr möglich, und damit begonnene Sitzungen werden beendet. Alle Inhalte des Kontos bleiben erhalten.",
  "links.only": "Dies ist die einzige Möglichkeit, sich bei Ihrem Konto anzumelden.",
}
