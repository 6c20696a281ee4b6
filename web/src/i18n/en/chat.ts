export const chat = {
  "chat.new": "New chat",
}
