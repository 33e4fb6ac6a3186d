import type { ReactElement } from 'react'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Progress as ProgressBar } from '../../ui/notes.js'
import type { Progress } from '../document.js'
import { isFinalFailure, useDocumentErrorText } from '../error-texts.js'
import { StateBadge } from '../state-badge.js'
import { TEXTS } from '../texts.js'
import { useContextWork } from '../work/context-work.js'
import type { Upload } from '../work/upload-queue.js'
import { UPLOAD_TEXTS } from './upload-texts.js'

interface UploadItemProps {
  readonly contextId: number
  readonly upload: Upload
  /** The progress of its document, once the server has received it. */
  readonly progress: Progress | undefined
}

/** One upload: on its way, then while the server processes its document. */
export function UploadItem({ contextId, upload, progress }: UploadItemProps): ReactElement {
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
