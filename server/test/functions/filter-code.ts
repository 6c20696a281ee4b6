/** Code of a filter that replaces "Hello" in requests. */
export const maskGreeting = `export const before = (request) => ({ ...request,
  messages: request.messages.map((message) => ({ ...message,
    content: typeof message.content === "string"
      ? message.content.replace("Hello", "[greeting]") : message.content })) })`

/** Code of a filter that writes an answer in capitals as it is streamed, and ends it with "!". */
export const shout = `export const chunk = (delta) =>
  delta.last ? { content: "!" } : { ...delta, content: (delta.content ?? "").toUpperCase() }`

/** Code of a filter that adds to an answer once it is complete. */
export const signAnswer = `export const after = (reply) => {
  reply.choices[0].message.content += " (signed)"
  return reply
}`
