export {
  type FunctionError,
  functionError,
  HostCallError,
  type InvocationResult,
  type RunSession,
} from "./run-session.ts"
export { createSandbox, type Sandbox } from "./sandbox.ts"
export { createTypeStripper, type TypeStripper } from "./strip-types.ts"
export type { LogLine } from "./worker-protocol.ts"
