export const conversation = {
  "answer.sharedBy": "Shared by {name} · read-only",
  "answer.stop": "Stop",
  "answer.thinking": "Thinking · {time}",
  "answer.thought": "Thought for {time}",
  "answer.wasStopped": "{model} was stopped",
  "answer.hasFailed": "{model} failed to answer",
  "answer.edited": "Edited",
}
