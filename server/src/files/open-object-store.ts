import type { BackgroundTasks } from "../background/background-tasks.ts"
import type { Config } from "../config/config.ts"
import { createDiskObjectStore } from "./disk-object-store.ts"
import type { ObjectStore } from "./object-store.ts"

/** Opens the S3 bucket that `S3_URL` names, or else the data folder. */
export const openObjectStore = async (
  { S3_URL: url, DATA_DIR: dataDir }: Pick<Config, "S3_URL" | "DATA_DIR">,
  background: BackgroundTasks,
): Promise<ObjectStore> => {
  if (!url) return createDiskObjectStore({ dataDir, background })
  const { createS3ObjectStore } = await import("./s3-object-store.ts")
  return createS3ObjectStore({ url, dataDir, background })
}
