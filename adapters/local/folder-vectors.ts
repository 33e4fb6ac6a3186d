import { join } from 'node:path'
import type { EngineOptions } from '../../src/index.js'
import type { ProcessLocks } from '../../src/ports/index.js'
import { LanceDbVectorIndex } from '../lancedb/index.js'
import { VECTORS } from './folder/data-dir.js'
import type { Folders } from './folder/temp-folder.js'

/**
 * Opens the vectors in a data folder. A read-only engine never changes files.
 *
 * @param locks of processes that share the folder. Default: this process is alone
 */
export function openFolderVectors(
  { dataDir, tempFolder }: Folders,
  { isWorking: maintains = true, telemetry }: Pick<Partial<EngineOptions>, 'isWorking' | 'telemetry'>,
  locks?: ProcessLocks,
): LanceDbVectorIndex {
  return new LanceDbVectorIndex(join(dataDir, VECTORS), {
    maintains,
    ...(tempFolder !== dataDir && { temporaryFolder: join(tempFolder, VECTORS) }),
    ...(telemetry && { telemetry }),
    ...(locks && { locks }),
  })
}
