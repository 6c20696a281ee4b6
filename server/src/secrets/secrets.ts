import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto"

const version = "v1"
const nonceBytes = 12
const tagBytes = 16
const wrongKeyMessage =
  'A stored credential was encrypted with another SECRET_KEY. Restore the previous key; if it is lost, see "SECRET_KEY" in docs/operations.md.'

/** Keys derived from SECRET_KEY with HKDF-SHA256; separate keys keep the purposes independent. */
export interface Secrets {
  /** Signs JWTs (HS256). */
  signingKey: Uint8Array
  /** Seals blocks of the audit log (HMAC-SHA256). */
  auditKey: Buffer
  /** Derives the setup code for the first account. */
  setupKey: Buffer
  /** Encrypts with AES-256-GCM: `v1.` + base64url(12-byte nonce, 16-byte tag, ciphertext). */
  seal(text: string): string
  /** @throws {Error} if the value was modified or encrypted with another SECRET_KEY */
  unseal(sealed: string): string
}

export const createSecrets = (secretKey: string): Secrets => {
  const derive = (purpose: string): Buffer =>
    Buffer.from(hkdfSync("sha256", secretKey, "portico", purpose, 32))
  const sealingKey = derive("sealed values")

  return {
    signingKey: new Uint8Array(derive("json web tokens")),
    auditKey: derive("audit seals"),
    setupKey: derive("setup code"),

    seal: (text) => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce)
      const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
      return `${version}.${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString("base64url")}`
    },

    unseal: (sealed) => {
      const bytes = Buffer.from(sealed.slice(version.length + 1), "base64url")
      const decipher = createDecipheriv("aes-256-gcm", sealingKey, bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      const ciphertext = bytes.subarray(nonceBytes + tagBytes)
      const text = decipher.update(ciphertext, undefined, "utf8")
      try {
        return text + decipher.final("utf8")
      } catch {
        throw new Error(wrongKeyMessage)
      }
    },
  }
}
