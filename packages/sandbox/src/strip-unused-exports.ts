/** Exports of the engine's binary that are used; the other four hundred belong to extensions. */
const isUsedExport = (name: string): boolean =>
  /^(qjs_|wasm_|memory$|__stack_pointer$|_initialize$)/.test(name)

const magicBytes = 8
const exportSection = 7

/** Reads an unsigned LEB128 number. @returns the number and the offset after it */
const readLeb128 = (bytes: Buffer, at: number): [value: number, next: number] => {
  let value = 0
  let next = at
  for (let shift = 0; ; shift += 7) {
    const byte = bytes.readUInt8(next++)
    value |= (byte & 0x7f) << shift
    if (byte < 0x80) return [value >>> 0, next]
  }
}

const encodeLeb128 = (value: number): Buffer => {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}

/** https://webassembly.github.io/spec/core/binary/modules.html#export-section */
const filterExports = (section: Buffer): Buffer => {
  const kept: Buffer[] = []
  const [count, first] = readLeb128(section, 0)
  let at = first
  for (let index = 0; index < count; index++) {
    const [length, name] = readLeb128(section, at)
    const [, next] = readLeb128(section, name + length + 1)
    if (isUsedExport(section.toString("utf8", name, name + length)))
      kept.push(section.subarray(at, next))
    at = next
  }
  return Buffer.concat([encodeLeb128(kept.length), ...kept])
}

/**
 * Removes unused exports from the engine's binary. Instantiation creates an object for each export,
 * which took two thirds of the time needed to create an isolate.
 */
export const stripUnusedExports = (binary: Buffer): Buffer<ArrayBuffer> => {
  const parts = [binary.subarray(0, magicBytes)]
  let at = magicBytes
  while (at < binary.length) {
    const id = binary.readUInt8(at)
    const [length, body] = readLeb128(binary, at + 1)
    const section = binary.subarray(body, body + length)
    const newBody = id === exportSection ? filterExports(section) : section
    parts.push(Buffer.from([id]), encodeLeb128(newBody.length), newBody)
    at = body + length
  }
  return Buffer.concat(parts)
}
