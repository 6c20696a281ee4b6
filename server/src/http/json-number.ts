/**
 * State machine for JSON numbers (RFC 8259 §6): for each state, the next state by byte class. Class
 * `1` stands for the digits 1 to 9, `e` for either case.
 */
const numberSteps: Record<string, string>[] = [
  { "-": "1", "0": "2", "1": "3" },
  { "0": "2", "1": "3" },
  { ".": "4", e: "6" },
  { "0": "3", "1": "3", ".": "4", e: "6" },
  { "0": "5", "1": "5" },
  { "0": "5", "1": "5", e: "6" },
  { "+": "7", "-": "7", "0": "8", "1": "8" },
  { "0": "8", "1": "8" },
  { "0": "8", "1": "8" },
]
/** By state: whether a number may end in it. */
export const isCompleteNumber = [false, false, true, true, false, true, false, false, true]
const byteClass = (byte: number): string => {
  const character = String.fromCharCode(byte)
  if (/[1-9]/.test(character)) return "1"
  return character === "E" ? "e" : character
}
/** `numberSteps` as a table with 256 entries per state; 0 means that there is no next state. */
const numberTable = Uint8Array.from({ length: 256 * numberSteps.length }, (_, at) =>
  Number(numberSteps[at >> 8]?.[byteClass(at & 255)] ?? 0),
)

/** @returns the state after a number's first byte; 0 if no number starts with it */
export const initialNumberState = (byte: number): number => numberTable[byte] ?? 0

/** @returns the state after another byte; 0 if it does not belong to the number */
export const nextNumberState = (state: number, byte: number): number =>
  numberTable[(state << 8) + byte] ?? 0
