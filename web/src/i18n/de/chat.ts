export const chat = {
  "chat.new": "Neuer Chat",
}
