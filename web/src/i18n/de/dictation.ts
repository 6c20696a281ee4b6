export const dictation = {
  "dictation.start": "Diktieren",
  "dictation.listening": "Hört zu …",
  "dictation.notAllowed":
    "Erlauben Sie dieser Seite den Zugriff auf das Mikrofon, und versuchen Sie es erneut.",
  "dictation.noSpeech": "Es wurde nichts gehört. Versuchen Sie es erneut.",
  "dictation.noMicrophone":
    "Es wurde kein Mikrofon gefunden. Schließen Sie eines an, und versuchen Sie es erneut.",
  "dictation.network":
    "Die Spracherkennung des Browsers ist nicht erreichbar. Versuchen Sie es später erneut.",
  "dictation.language": "Ihr Browser kann gesprochenen Text in dieser Sprache nicht erkennen.",
  "dictation.failed": "Das Diktat wurde unerwartet beendet. Versuchen Sie es erneut.",
}
