export const dictation = {
  "dictation.start": "Dictate",
  "dictation.listening": "Listening…",
  "dictation.notAllowed": "Allow this page to use the microphone, then try again.",
  "dictation.noSpeech": "No speech was heard. Try again.",
  "dictation.noMicrophone": "No microphone was found. Connect one and try again.",
  "dictation.network": "The browser's speech recognition can't be reached. Try again later.",
  "dictation.language": "Your browser can't recognize speech in this language.",
  "dictation.failed": "Dictation stopped unexpectedly. Try again.",
}
