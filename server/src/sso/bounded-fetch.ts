const maxBytes = 1_000_000

const readBounded = async (body: ReadableStream<Uint8Array>): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    if (length > maxBytes) throw new TypeError(`The response exceeds ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks, length)
}

/** `fetch` with a limit on the response's size. */
export const boundedFetch = async (
  url: string,
  options: Record<string, unknown>,
): Promise<Response> => {
  const { status, headers, body } = await fetch(url, options)
  const bytes = body && (await readBounded(body))
  return new Response(bytes && bytes.length > 0 ? new Uint8Array(bytes) : null, {
    status,
    headers,
  })
}
