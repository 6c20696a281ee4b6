import { join } from "node:path"
import type { EmbeddingInputType } from "../embedding-input-type.ts"

/** A file of a model, as it was published. */
export interface ModelFile {
  name: string
  /** In bytes. */
  size: number
  sha256: string
}

/** Where an installable model is published, on a hub with the paths of Hugging Face. */
export interface ModelSource {
  repository: string
  /** Commit. */
  revision: string
  /** Path in the repository by file name, where it differs from the name. */
  paths: Readonly<Record<string, string>>
  license: string
}

/** A transformer that the gateway runs itself. */
export interface ModelDescription {
  /** `built-in/` and the name. */
  id: string
  dimensions: number
  /** Tokens of a text that are embedded at once, besides the prefix, the start and the end. */
  windowTokens: number
  /** Text after the last window is not embedded. */
  maxWindows: number
  prefixes: Readonly<Record<EmbeddingInputType, string>>
  tokenizerType: "wordpiece" | "unigram"
  weights: ModelFile
  tokenizer: ModelFile
  /** Null if the model is part of the gateway. */
  source: ModelSource | null
}

export interface InstallableModel extends ModelDescription {
  source: ModelSource
}

const idPrefix = "built-in/"

/** Connections' models with such ids are not used for search. */
export const isBuiltInModelId = (id: string): boolean => id.startsWith(idPrefix)

/** The name of the model, of its folder, and in the API's paths. */
export const modelNameOf = ({ id }: Pick<ModelDescription, "id">): string =>
  id.slice(idPrefix.length)

/** Where the shipped model's files are in the repository and in the Docker image. */
export const shippedModelFolder = join(import.meta.dirname, "../../../../vendor/all-minilm-l6-v2")

/** Shipped with the gateway; works best in English. */
export const allMiniLM: ModelDescription = {
  id: "built-in/all-minilm-l6-v2",
  dimensions: 384,
  windowTokens: 254,
  // The longest passages in Chinese take six windows.
  maxWindows: 8,
  prefixes: { query: "", passage: "" },
  tokenizerType: "wordpiece",
  weights: {
    name: "model.onnx",
    size: 22_928_619,
    sha256: "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
  },
  tokenizer: {
    name: "tokenizer.json",
    size: 466_247,
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
  },
  source: null,
}

/** About 100 languages; installed by an administrator. */
export const multilingualE5Small: InstallableModel = {
  id: "built-in/multilingual-e5-small",
  dimensions: 384,
  // Of the 512 that the model takes: finds as much, with less memory.
  windowTokens: 250,
  maxWindows: 8,
  prefixes: { query: "query: ", passage: "passage: " },
  tokenizerType: "unigram",
  weights: {
    name: "model_quantized.onnx",
    size: 118_308_185,
    sha256: "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
  },
  tokenizer: {
    name: "tokenizer.json",
    size: 17_082_730,
    sha256: "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
  },
  source: {
    repository: "Xenova/multilingual-e5-small",
    revision: "761b726dd34fb83930e26aab4e9ac3899aa1fa78",
    paths: { "model_quantized.onnx": "onnx/model_quantized.onnx" },
    license: "MIT",
  },
}
