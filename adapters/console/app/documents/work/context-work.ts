import { type AlcoveClient, useApi } from '../../api/api.js'
import { Deletions } from './deletions.js'
import { DocumentWatch } from './document-watch.js'
import { UploadQueue } from './upload-queue.js'

/** The work in a context that goes on while the user looks at other pages. */
export interface ContextWork {
  readonly uploads: UploadQueue
  readonly deletions: Deletions
  readonly watch: DocumentWatch
}

/** By the API of one login and account, then by the id of the context. */
const works = new WeakMap<AlcoveClient, Map<number, ContextWork>>()

export function useContextWork(contextId: number): ContextWork {
  const api = useApi()
  const ofApi = works.get(api) ?? new Map<number, ContextWork>()
  works.set(api, ofApi)
  const work = ofApi.get(contextId) ?? {
    uploads: new UploadQueue(api, contextId),
    deletions: new Deletions(api, contextId),
    watch: new DocumentWatch(api, contextId),
  }
  ofApi.set(contextId, work)
  return work
}
