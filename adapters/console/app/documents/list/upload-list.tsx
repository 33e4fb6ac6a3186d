import { type ReactElement, useMemo } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { useStore } from '../../ui/store.js'
import { isFinal, type Listed, type Progress, progressOf, progressOfState, replacementOf } from '../document.js'
import { useContextWork } from '../work/context-work.js'
import type { Upload } from '../work/upload-queue.js'
import { UploadItem } from './upload-item.js'
import { UPLOAD_TEXTS } from './upload-texts.js'

/** The others are only counted. */
const SHOWN_UPLOADS = 20

interface Shown {
  readonly upload: Upload
  /** The progress of the document, once it is sent. */
  readonly progress: Progress | undefined
}

/** The uploads of a context, until each is completed. Nothing without uploads. */
export function UploadList({
  contextId,
  documents,
  docId,
}: {
  readonly contextId: number
  readonly documents: readonly Listed[]
  /** Only the uploads for this document. */
  readonly docId?: number
}): ReactElement | null {
  const texts = useTexts(UPLOAD_TEXTS)
  const { number } = useFormat()
  const work = useContextWork(contextId)
  const queued = useStore(work.uploads.uploads)
  const uploads =
    docId === undefined ? queued : queued.filter(({ replaces, retries }) => replaces === docId || retries === docId)
  const { byUuid } = useStore(work.watch.watched)
  const hasUploads = uploads.length > 0
  const listed = useMemo(() => (hasUploads ? byVersion(documents) : new Map<string, Listed>()), [hasUploads, documents])
  if (!hasUploads) return null

  const all = uploads.map((upload): Shown => ({ upload, progress: progressOfUpload(upload) }))
  const done = all.filter(({ progress }) => progress?.stage === 'completed')
  const failed = all.filter(({ upload, progress }) => upload.phase === 'failed' || progress?.stage === 'failed')
  const ended = new Set([...done, ...failed].map(({ upload }) => upload.key))
  // Failures need the user, so they come first, and then those that move.
  const shown = [...failed, ...all.filter(({ upload }) => !ended.has(upload.key)), ...done].slice(0, SHOWN_UPLOADS)

  function progressOfUpload({ uuid }: Upload): Progress | undefined {
    if (uuid === undefined) return undefined
    const state = byUuid.get(uuid)
    if (state !== undefined && state.status !== 'deleted') return progressOfState(state)
    const document = listed.get(uuid)
    if (document === undefined) return { stage: state === undefined ? 'waiting' : 'completed' }
    return document.uuid === uuid ? progressOf(document, undefined) : replacementOf(document, undefined)
  }

  return (
    <section className="panel docs-uploads" aria-labelledby="docs-uploads">
      <div className="docs-bar">
        <h2 id="docs-uploads">{texts.title}</h2>
        <span role="status" className="soft">
          {texts.summary(
            number(done.length),
            number(all.length),
            failed.length > 0 ? number(failed.length) : undefined,
          )}
        </span>
        {ended.size < all.length ? (
          <Button kind="quiet" onPress={() => work.uploads.remove(unsent(all))}>
            {texts.cancelAll}
          </Button>
        ) : (
          <Button kind="quiet" onPress={() => work.uploads.remove(ended)}>
            {texts.clear}
          </Button>
        )}
      </div>
      <ul className="docs-upload-list">
        {shown.map(({ upload, progress }) => (
          <UploadItem key={upload.key} contextId={contextId} upload={upload} progress={progress} />
        ))}
      </ul>
      {all.length > shown.length && <p className="soft">{texts.more(number(all.length - shown.length))}</p>}
    </section>
  )
}

function unsent(all: readonly Shown[]): ReadonlySet<number> {
  return new Set(
    all.filter(({ progress }) => progress === undefined || isFinal(progress)).map(({ upload }) => upload.key),
  )
}

/** Documents by the UUIDs of both versions. */
function byVersion(documents: readonly Listed[]): ReadonlyMap<string, Listed> {
  return new Map(
    documents.flatMap((document) => [
      [document.uuid, document] as const,
      ...(document.replacement === null ? [] : [[document.replacement.uuid, document] as const]),
    ]),
  )
}
