import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ModelSource } from '../../device/index.js'
import { makePrivateDataDir } from '../../local/folder/data-dir.js'
import { MODELS, UNFINISHED_MODEL } from '../../local/model-dirs.js'
import { FILE_LOCK_HELD, ifPresent, isCode, makeFolder, requireWritable, withFileLock } from '../../node-kit/index.js'
import { PARTIAL_DOWNLOAD, removeAbandoned } from './add-model.js'

/** The lock of all downloads into a data folder. */
const LOCK = '.download-lock'
/** Time after which a waiting download looks if it was aborted. */
const LOCK_WAIT_MS = 500

/** Runs one download into a data folder at a time. */
export async function withDownloadLock<T>(
  dataDir: string,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
  await makePrivateDataDir(dataDir)
  const models = join(dataDir, MODELS)
  await requireWritable(models, 'models')
  await makeFolder(models)
  for (;;) {
    const begun = { isTrue: false }
    try {
      return await withFileLock(join(models, LOCK), LOCK_WAIT_MS, async () => {
        begun.isTrue = true
        signal?.throwIfAborted()
        return await work()
      })
    } catch (error) {
      if (begun.isTrue || !isCode(error, FILE_LOCK_HELD)) throw error
      signal?.throwIfAborted()
    }
  }
}

/**
 * Removes the files that a run has left which was killed after it had added the model, and old ones of others. They take
 * space, and no more, so a failure is none of the caller; a download that runs has the lock and keeps its files.
 */
export async function removeLeftOver(dataDir: string, id: string, source: ModelSource): Promise<void> {
  const models = join(dataDir, MODELS)
  try {
    const names = await ifPresent(readdir(models), [])
    if (!names.some((name) => name.startsWith(UNFINISHED_MODEL))) return
    await withFileLock(join(models, LOCK), LOCK_WAIT_MS, async () => {
      await rm(partialFolder(dataDir, id, source), { recursive: true, force: true })
      await removeAbandoned(models)
    })
  } catch {
    // The next run tries it.
  }
}

/** The hidden folder of the files of one commit for one model: what is done for another id of the commit removes nothing. */
export function partialFolder(dataDir: string, id: string, { repository, commit }: ModelSource): string {
  const digest = createHash('sha256').update(`${repository}@${commit} ${id}`).digest('hex')
  return join(dataDir, MODELS, `${PARTIAL_DOWNLOAD}${digest.slice(0, 16)}`)
}
