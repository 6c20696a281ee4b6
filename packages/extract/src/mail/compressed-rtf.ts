/** What the dictionary holds at the start ([MS-OXRTFCP] 2.2.2.1). */
const initialText =
  "{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript " +
  "\\fdecor MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par " +
  "\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"

const dictionarySize = 4096
const headerSize = 16
const uncompressed = 0x414c454d
const compressed = 0x75465a4c
/** Two bytes stand for 17 at most. */
const maxExpansion = 9
/** What remains of eight flags once all have been shifted out. */
const noFlags = 1

const decompress = (bytes: Buffer): Buffer => {
  const dictionary = Buffer.alloc(dictionarySize)
  let writeAt = dictionary.write(initialText, "latin1")
  const output = Buffer.alloc(bytes.length * maxExpansion)
  let length = 0
  const write = (byte: number): void => {
    output[length++] = byte
    dictionary[writeAt] = byte
    writeAt = (writeAt + 1) % dictionarySize
  }
  /** @returns false at the end of the text, which refers to the position of writing */
  const copy = (reference: number): boolean => {
    const offset = reference >> 4
    if (offset === writeAt) return false
    for (let step = 0; step < (reference & 0xf) + 2; step++)
      write(dictionary[(offset + step) % dictionarySize] ?? 0)
    return true
  }

  let at = 0
  let flags = noFlags
  while (at < bytes.length) {
    if (flags === noFlags) {
      flags = (bytes[at++] ?? 0) | (noFlags << 8)
      continue
    }
    const isReference = (flags & 1) === 1
    flags >>= 1
    if (!isReference) write(bytes[at++] ?? 0)
    else if (at + 1 < bytes.length && copy(bytes.readUInt16BE(at))) at += 2
    else break
  }
  return output.subarray(0, length)
}

/**
 * Unpacks RTF as Outlook stores it (PidTagRtfCompressed, [MS-OXRTFCP]).
 * @returns nothing if it is damaged
 */
export const decompressRtf = (bytes: Buffer): Buffer => {
  if (bytes.length < headerSize) return Buffer.alloc(0)
  const type = bytes.readUInt32LE(8)
  const content = bytes.subarray(headerSize)
  if (type === uncompressed) return content
  return type === compressed ? decompress(content) : Buffer.alloc(0)
}
