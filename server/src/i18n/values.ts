/** The values that a message quotes. */
export type Values<Name extends string> = Record<Name, string>
