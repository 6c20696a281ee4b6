export const conversation = {
  "answer.sharedBy": "Geteilt von {name} · nur lesbar",
  "answer.stop": "Stoppen",
  "answer.thinking": "Denkt nach · {time}",
  "answer.thought": "{time} nachgedacht",
  "answer.wasStopped": "{model} wurde gestoppt",
  "answer.hasFailed": "{model} konnte nicht antworten",
  "answer.edited": "Bearbeitet",
}
