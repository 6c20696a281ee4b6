import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"
import tailwindcss from "@tailwindcss/vite"
import react from "@vitejs/plugin-react"
import { defineConfig, type Plugin } from "vite"

const compressible = /\.(js|css|html|svg|json|txt)$/
/** Smaller files gain nothing: the additional headers outweigh the bytes saved. */
const minBytes = 1024

/** Writes Brotli and gzip copies of each file; the gateway serves what the browser accepts. */
const precompress = (): Plugin => ({
  name: "precompress",
  apply: "build",
  closeBundle: () => {
    const folder = join(import.meta.dirname, "dist")
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || !compressible.test(path)) continue
      const bytes = readFileSync(path)
      if (bytes.length < minBytes) continue
      const quality = { [constants.BROTLI_PARAM_QUALITY]: 9 }
      writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params: quality }))
      writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
    }
  },
})

/** What PDFs may need: character maps, standard fonts, and image decoders without WebAssembly. */
const pdfFiles = /^(cmaps|standard_fonts|wasm)\/(?!quickjs)(?!.*\.wasm$)/

/** Copies files of pdf.js, which are fetched by name when a document needs them. */
const copyPdfFiles = (): Plugin => ({
  name: "copy-pdf-files",
  apply: "build",
  generateBundle() {
    const manifest = createRequire(import.meta.url).resolve("pdfjs-dist/package.json")
    const folder = dirname(manifest)
    const { version } = JSON.parse(readFileSync(manifest, "utf8"))
    for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
      const path = name.replaceAll("\\", "/")
      if (!pdfFiles.test(path)) continue
      const source = readFileSync(join(folder, name))
      this.emitFile({ type: "asset", fileName: `assets/pdfjs-${version}/${path}`, source })
    }
  },
})

export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), copyPdfFiles(), precompress()],
  worker: { format: "es" },
  build: {
    // Inlined assets use data: URLs, which the content security policy does not allow.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 1500,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      output: {
        // One chunk for the code that every page needs, instead of forty small requests.
        codeSplitting: {
          groups: [{ name: "base", tags: ["$initial"] }],
        },
      },
    },
  },
  server: {
    // `npm run dev` in web/ uses a gateway on its default port.
    proxy: Object.fromEntries(
      ["/api", "/v1", "/ollama", "/health"].map((path) => [path, "http://127.0.0.1:8080"]),
    ),
  },
})
