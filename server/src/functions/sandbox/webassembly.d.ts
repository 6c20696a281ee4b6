/** Supplements knowledge/webassembly.d.ts. */
declare namespace WebAssembly {
  function compile(bytes: Uint8Array): Promise<Module>
}
