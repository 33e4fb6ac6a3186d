import { useApi } from '../api/api.js'
import type { Listed } from './document.js'
import { readOriginal } from './original.js'
import { useContextWork } from './work/context-work.js'

/**
 * A function that has a failed document processed again. The same bytes under the same name are the same document, so it
 * uploads what the server has received before.
 */
export function useRetry(contextId: number): (document: Pick<Listed, 'id' | 'originalName' | 'size'>) => void {
  const api = useApi()
  const { uploads } = useContextWork(contextId)
  return ({ id, originalName, size }) => {
    const read = async (): Promise<Blob> => await readOriginal(api, contextId, id)
    uploads.add([{ name: originalName, size, read, retries: id }])
  }
}
