import { type ReactElement, useState } from 'react'
import { FailureText } from '../../documents/detail/failure-text.js'
import { toldOf } from '../../documents/document.js'
import { useFormat } from '../../texts/format.js'
import { phrases, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { ConfirmDialog } from '../../ui/dialogs.js'
import { ErrorNote, Note, Progress } from '../../ui/notes.js'
import { type Settings, useChangeSettings } from './settings-draft.js'
import { SETTINGS_TEXTS } from './settings-texts.js'

const TEXTS = phrases({
  en: {
    title: 'The documents are prepared again',
    text: 'Searches use the present settings until all documents are ready. You can leave this page.',
    progress: (done: string, total: string) => `${done} of ${total} documents are ready`,
    change: (name: string, from: string, to: string) => `${name}: ${from} becomes ${to}`,
    stopped: 'The preparation has stopped',
    stoppedText: 'Searches go on with the present settings. Mend or delete the document, then try again, or cancel.',
    waits: 'It waits, and goes on by itself:',
    again: 'Try again',
    cancel: 'Cancel the change',
    cancelTitle: 'Cancel the change?',
    cancelText: 'The present settings stay. What is prepared so far is lost.',
    finished: 'All documents are ready. The new settings apply.',
  },
  de: {
    title: 'Die Dokumente werden neu aufbereitet',
    text: 'Suchen nutzen die jetzigen Einstellungen, bis alle Dokumente fertig sind. Du kannst die Seite verlassen.',
    progress: (done, total) => `${done} von ${total} Dokumenten sind fertig`,
    change: (name, from, to) => `${name}: aus ${from} wird ${to}`,
    stopped: 'Die Aufbereitung ist stehen geblieben',
    stoppedText:
      'Suchen laufen mit den jetzigen Einstellungen weiter. Ersetze oder lösche das Dokument und versuche es noch einmal, oder brich ab.',
    waits: 'Sie wartet und geht von allein weiter:',
    again: 'Noch einmal versuchen',
    cancel: 'Änderung abbrechen',
    cancelTitle: 'Änderung abbrechen?',
    cancelText: 'Die jetzigen Einstellungen bleiben. Was bis jetzt aufbereitet ist, geht verloren.',
    finished: 'Alle Dokumente sind fertig. Die neuen Einstellungen gelten.',
  },
})

interface ReindexingProps {
  readonly contextId: number
  readonly settings: Settings
  readonly mayChange: boolean
}

/** The re-index in progress, or its end. Nothing without one. */
export function Reindexing({ contextId, settings, mayChange }: ReindexingProps): ReactElement {
  const texts = useTexts(TEXTS)
  const names = useTexts(SETTINGS_TEXTS)
  const { number, percent } = useFormat()
  const { reindexing } = settings
  const [before, setBefore] = useState(reindexing)
  const [isFinished, setFinished] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const changing = useChangeSettings(contextId)
  if (before !== reindexing) {
    setBefore(reindexing)
    // A cancelled one leaves the former settings.
    setFinished(
      reindexing === null &&
        before !== null &&
        before.chunkSizeTokens === settings.chunkSizeTokens &&
        before.embeddingModel === settings.embeddingModel &&
        before.overlap === settings.overlap,
    )
  }
  if (reindexing === null) return <div role="status">{isFinished && <Note kind="success">{texts.finished}</Note>}</div>
  const { embeddingModel, chunkSizeTokens, overlap, documentsDone, documentsTotal } = reindexing
  const error = toldOf(reindexing.error, reindexing.errorCode)
  const waiting = toldOf(reindexing.waiting, reindexing.waitingCode)
  const changes = [
    [names.embeddingModel.name, settings.embeddingModel, embeddingModel],
    [names.chunkSizeTokens.name, number(settings.chunkSizeTokens), number(chunkSizeTokens)],
    [names.overlap.name, percent(settings.overlap), percent(overlap)],
  ] as const
  return (
    <section className="panel" aria-labelledby="reindexing-title">
      <h2 id="reindexing-title">{error === null ? texts.title : texts.stopped}</h2>
      <ul>
        {changes
          .filter(([, from, to]) => from !== to)
          .map(([name, from, to]) => (
            <li key={name}>{texts.change(name, from, to)}</li>
          ))}
      </ul>
      <div role="status">
        {error === null ? (
          <>
            <p>{texts.text}</p>
            {waiting !== null && (
              <Note kind="warning">
                <p>{texts.waits}</p>
                <FailureText told={waiting} />
              </Note>
            )}
          </>
        ) : (
          <div className="note note-error">
            <FailureText told={error} />
            <p>{texts.stoppedText}</p>
          </div>
        )}
      </div>
      <Progress
        label={texts.progress(number(documentsDone), number(documentsTotal))}
        value={documentsTotal === 0 ? 0 : documentsDone / documentsTotal}
      />
      <ErrorNote error={changing.error} />
      {mayChange && (
        <div className="actions">
          {error !== null && (
            <Button
              isPending={changing.isPending}
              // The settings of a re-index that has stopped try its failed documents again.
              onPress={() => changing.mutate({ embeddingModel, chunkSizeTokens, overlap })}
            >
              {texts.again}
            </Button>
          )}
          <Button onPress={() => setAsking(true)}>{texts.cancel}</Button>
        </div>
      )}
      <ConfirmDialog
        title={texts.cancelTitle}
        action={texts.cancel}
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        onConfirm={async () => await changing.mutateAsync({ reindexing: null })}
      >
        <p>{texts.cancelText}</p>
      </ConfirmDialog>
    </section>
  )
}
