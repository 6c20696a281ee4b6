/** Beside what knowledge/webassembly.d.ts describes. */
declare namespace WebAssembly {
  function compile(bytes: Uint8Array): Promise<Module>
}
