import { type AlcoveClient, useApi } from '../../api/api.js'
import { reportUploads } from '../../frame/running-uploads.js'
import { type LoginEndReason, onLoginEnd, onOpenWork } from '../../login/login-end.js'
import { useLogin } from '../../login/use-login.js'
import { Deletions } from './deletions.js'
import { DocumentWatch } from './document-watch.js'
import { UploadQueue } from './upload-queue.js'

/** The work in a context that goes on while the user looks at other pages. */
export interface ContextWork {
  readonly uploads: UploadQueue
  readonly deletions: Deletions
  readonly watch: DocumentWatch
}

/** By user, login, account and context: after a change of the account and back, the same work is there. */
const works = new Map<string, ContextWork>()

export function useContextWork(contextId: number): ContextWork {
  const api = useApi()
  const { login, account } = useLogin()
  const key = `${login.user.id} ${login.clientId} ${account?.id} ${contextId}`
  const work = works.get(key) ?? createWork(api, contextId, account?.id)
  works.set(key, work)
  return work
}

function createWork(api: AlcoveClient, contextId: number, accountId: number | undefined): ContextWork {
  const deletions = new Deletions(api, contextId)
  const uploads = new UploadQueue(api, contextId, async (file) => await deletions.settle(file))
  uploads.uploads.subscribe(() => reportUploads({ accountId, contextId, files: uploads.openCount }))
  return { uploads, deletions, watch: new DocumentWatch(api, contextId) }
}

onOpenWork(() => {
  const all = [...works.values()]
  return {
    uploads: all.reduce((sum, { uploads }) => sum + uploads.openCount, 0),
    deletions: all.reduce((sum, { deletions }) => sum + deletions.undoableCount, 0),
  }
})

// The cookie of the next login would send what is left of this one.
onLoginEnd(async (reason: LoginEndReason) => {
  const ended = [...works.values()]
  // If the sign-out fails, the user goes on with new work.
  works.clear()
  for (const { uploads, watch } of ended) {
    uploads.end()
    watch.end()
  }
  await Promise.all(ended.map(async ({ deletions }) => await deletions.end(reason)))
})
