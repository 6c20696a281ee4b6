/** What may follow in a number (RFC 8259 §6), by what it is made of so far. */
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
/** Whether a number may end there. */
export const isCompleteNumber = [false, false, true, true, false, true, false, false, true]
const byteClass = (byte: number): string => {
  const character = String.fromCharCode(byte)
  if (/[1-9]/.test(character)) return "1"
  return character === "E" ? "e" : character
}
/** The same as a table, 256 bytes a state: 0 where a byte leads nowhere. */
const numberTable = Uint8Array.from({ length: 256 * numberSteps.length }, (_, at) =>
  Number(numberSteps[at >> 8]?.[byteClass(at & 255)] ?? 0),
)

/** @param byte its first: 0 where no number begins so */
export const initialNumberState = (byte: number): number => numberTable[byte] ?? 0

/** What a number is with one byte more: 0 where that is none. */
export const nextNumberState = (state: number, byte: number): number =>
  numberTable[(state << 8) + byte] ?? 0
