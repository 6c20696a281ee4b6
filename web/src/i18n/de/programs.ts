export const programs = {
  "programs.title": "Programm verbinden",
  "programs.lead":
    "Nutzen Sie die Modelle dieses Servers in Coding-Agenten, Editoren und Skripten.",
  "programs.program": "Programm",
  "programs.keyHelp":
    "Erstellen Sie einen Schlüssel für dieses Programm, oder ersetzen Sie {placeholder} unten durch einen vorhandenen.",
  "programs.keyCreated": "Er ist unten bereits eingesetzt und wird nicht noch einmal angezeigt.",
  "programs.restrictKey": "Schlüssel mit Ablaufdatum oder Einschränkungen erstellen",
  "programs.platform": "Betriebssystem",
  "programs.platform.posix": "macOS oder Linux",
  "programs.platform.windows": "Windows (PowerShell)",
  "programs.routeDenied":
    "{name} ruft {route} auf. Dieser Schlüssel erlaubt das nicht. Erstellen Sie einen Schlüssel, der diese Route erlaubt.",
  "programs.claudeCodeHelp":
    "Führen Sie dies im Ordner Ihres Projekts aus. Hintergrundaufgaben und Subagenten verwenden dasselbe Modell. Falls ANTHROPIC_API_KEY gesetzt ist, entfernen Sie die Variable vorher.",
  "programs.codexFileHelp":
    "Fügen Sie dies der Konfigurationsdatei hinzu. In einer vorhandenen Datei gehören die ersten beiden Zeilen über den ersten Abschnitt. Wenn Codex seinen eigenen Anbieter behalten soll, setzen Sie stattdessen openai_base_url auf dieselbe Adresse und melden Sie sich mit dem Schlüssel an.",
  "programs.codexKeyHelp": "Starten Sie Codex mit dem Schlüssel in der Umgebung.",
  "programs.cursorHelp":
    "Öffnen Sie in den Einstellungen von Cursor Models → API Keys. Tragen Sie Schlüssel und Adresse ein, schalten Sie beide ein, und fügen Sie das Modell hinzu. Solange die Adresse überschrieben ist, verwendet Cursor sie für alle OpenAI-Modelle. Die Anfragen kommen von den Servern von Cursor. Diese müssen die Adresse also erreichen können.",
  "programs.continueHelp":
    "Erstellen Sie diese Datei. Falls sie schon existiert, fügen Sie nur den Eintrag unter models hinzu.",
  "programs.langchainHelp": "Installieren Sie zuerst das Paket langchain-openai.",
  "programs.n8nHelp":
    "Erstellen Sie Zugangsdaten für OpenAI mit diesem Schlüssel und dieser Base URL, und verwenden Sie sie in einem Knoten „OpenAI Chat Model“ mit diesem Modell.",
  "programs.sdkHelp": "Installieren Sie zuerst das Paket openai.",
}
