import { toError } from "../../errors.ts"
import type { AdmissionDeps, AdmissionRequest } from "./admission-request.ts"
import { AdmittedRequest } from "./admitted-request.ts"

/**
 * Starts a request's usage record, and reserves what it may use from all limits that apply, or
 * nothing. @throws {Failure} if a limit does not allow it, which is recorded
 */
export type AdmitRequest = (request: AdmissionRequest) => AdmittedRequest | Promise<AdmittedRequest>

export const createAdmission =
  (deps: AdmissionDeps): AdmitRequest =>
  (request) => {
    const admitted = new AdmittedRequest(deps, request)
    const reject = (error: unknown): never => {
      admitted.recordRejection(toError(error))
      throw error
    }
    try {
      const reserving = admitted.reserve()
      return reserving instanceof Promise ? reserving.then(() => admitted, reject) : admitted
    } catch (error) {
      return reject(error)
    }
  }
