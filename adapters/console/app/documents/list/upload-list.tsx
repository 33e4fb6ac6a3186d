import { type ReactElement, useMemo } from 'react'
import { useFormat } from '../../texts/format.js'
import { phrases, plural, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Progress as ProgressBar } from '../../ui/notes.js'
import { useStore } from '../../ui/store.js'
import { isFinal, type Listed, type Progress, progressOf, progressOfState, replacementOf } from '../document.js'
import { isFinalFailure, useDocumentErrorText } from '../error-texts.js'
import { StateBadge } from '../state-badge.js'
import { TEXTS } from '../texts.js'
import { useContextWork } from '../work/context-work.js'
import type { Upload } from '../work/upload-queue.js'

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

interface UploadItemProps {
  readonly contextId: number
  readonly upload: Upload
  /** The progress of its document, once the server has received it. */
  readonly progress: Progress | undefined
}

/** One upload: on its way, then while the server processes its document. */
function UploadItem({ contextId, upload, progress }: UploadItemProps): ReactElement {
  const texts = useTexts(UPLOAD_TEXTS)
  const { tryAgain } = useTexts(TEXTS)
  const { bytes } = useFormat()
  const { uploads } = useContextWork(contextId)
  const { key, name, folder, size, phase } = upload
  const canRetry = phase === 'failed' && !isFinalFailure(upload.error)
  return (
    <li className="docs-upload">
      <div className="docs-upload-name">
        <span>{name}</span>{' '}
        <span className="soft">{folder === undefined ? bytes(size) : `${folder}, ${bytes(size)}`}</span>
      </div>
      <div className="docs-upload-state">
        <UploadState upload={upload} progress={progress} />
      </div>
      <div className="docs-upload-actions">
        {canRetry && (
          <Button aria-label={texts.again(name)} onPress={() => uploads.tryAgain(key)}>
            {tryAgain}
          </Button>
        )}
        {(phase !== 'sent' || progress?.stage === 'failed') && (
          <Button
            kind="quiet"
            aria-label={phase === 'sent' || phase === 'failed' ? texts.remove(name) : texts.cancel(name)}
            onPress={() => uploads.remove(new Set([key]))}
          >
            ×
          </Button>
        )}
      </div>
    </li>
  )
}

function UploadState({ upload, progress }: Pick<UploadItemProps, 'upload' | 'progress'>): ReactElement {
  const texts = useTexts(UPLOAD_TEXTS)
  const { stages } = useTexts(TEXTS)
  const { percent } = useFormat()
  const { errorText, failureText } = useDocumentErrorText()
  const { phase, error } = upload
  if (phase === 'queued') return <span className="soft">{texts.queued}</span>
  if (phase === 'away') return <ProgressBar label={texts.away} />
  if (phase === 'failed') return <span className="field-error">{errorText(error)}</span>
  if (phase === 'sending') {
    const value = upload.percent / 100
    return <ProgressBar label={texts.sending(percent(value))} value={value} />
  }
  const { stage, part, error: reason } = progress ?? { stage: 'waiting' }
  if (stage === 'completed') return <StateBadge progress={{ stage }} />
  if (stage === 'failed') return <span className="field-error">{reason != null && failureText(reason)}</span>
  const text = part === undefined ? stages[stage] : `${stages[stage]}: ${percent(part)}`
  return <ProgressBar label={texts.received(text)} value={part} />
}

const UPLOAD_TEXTS = phrases({
  en: {
    title: 'Uploads',
    summary: (done: string, all: string, failed: string | undefined) =>
      `${done} of ${all} done${failed !== undefined ? `, ${failed} failed` : ''}.`,
    more: (count: string) => plural.en(count, '… and 1 more file', `… and ${count} more files`),
    queued: 'Waits for its turn',
    sending: (percent: string) => `Sending: ${percent}`,
    away: 'The server does not answer now. The upload goes on by itself once it does.',
    received: (stage: string) => `Received. ${stage}`,
    cancel: (name: string) => `Cancel ${name}`,
    remove: (name: string) => `Remove ${name} from this list`,
    cancelAll: 'Cancel all',
    again: (name: string) => `Try again: ${name}`,
    clear: 'Clear the list',
  },
  de: {
    title: 'Hochladen',
    summary: (done, all, failed) =>
      `${done} von ${all} fertig${failed !== undefined ? `, ${failed} fehlgeschlagen` : ''}.`,
    more: (count) => plural.de(count, '… und 1 weitere Datei', `… und ${count} weitere Dateien`),
    queued: 'Wartet, bis es an der Reihe ist',
    sending: (percent) => `Wird gesendet: ${percent}`,
    away: 'Der Server antwortet gerade nicht. Das Hochladen geht von selbst weiter, sobald er antwortet.',
    received: (stage) => `Empfangen. ${stage}`,
    cancel: (name) => `${name} abbrechen`,
    remove: (name) => `${name} aus dieser Liste entfernen`,
    cancelAll: 'Alle abbrechen',
    again: (name) => `Noch einmal versuchen: ${name}`,
    clear: 'Liste leeren',
  },
})
