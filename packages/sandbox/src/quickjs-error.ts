/** An exception thrown by the engine. The stack refers to lines of the function's source. */
export class QuickJsError extends Error {
  constructor({ name, message, stack }: Record<"name" | "message" | "stack", string>) {
    super(message)
    this.name = name || "Error"
    this.stack = stack
  }
}
