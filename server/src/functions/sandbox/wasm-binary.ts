/** Exports of the engine's binary that are used; the other four hundred belong to extensions. */
const isWanted = (name: string): boolean =>
  /^(qjs_|wasm_|memory$|__stack_pointer$|_initialize$)/.test(name)

const magicBytes = 8
const exportSection = 7

/** Reads an unsigned LEB128 number. @returns the number and the offset after it */
const numberAt = (bytes: Buffer, at: number): [value: number, next: number] => {
  let value = 0
  let next = at
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(next++)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return [value >>> 0, next]
  }
}

const written = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** https://webassembly.github.io/spec/core/binary/modules.html#export-section */
const wantedExports = (section: Buffer): Buffer => {
  const kept: Buffer[] = []
  const [count, first] = numberAt(section, 0)
  let at = first
  for (let index = 0; index < count; index++) {
    const [length, name] = numberAt(section, at)
    const [, next] = numberAt(section, name + length + 1)
    if (isWanted(section.toString("utf8", name, name + length)))
      kept.push(section.subarray(at, next))
    at = next
  }
  return Buffer.concat([written(kept.length), ...kept])
}

/**
 * Removes unused exports from the engine's binary. Instantiation creates an object for each export,
 * which took two thirds of the time needed to create an isolate.
 */
export const leanBinary = (binary: Buffer): Buffer<ArrayBuffer> => {
  const parts = [binary.subarray(0, magicBytes)]
  let at = magicBytes
  while (at < binary.length) {
    const id = binary.readUInt8(at)
    const [length, body] = numberAt(binary, at + 1)
    const section = binary.subarray(body, body + length)
    const own = id === exportSection ? wantedExports(section) : section
    parts.push(Buffer.from([id]), written(own.length), own)
    at = body + length
  }
  return Buffer.concat(parts)
}
