import { useQueryClient } from '@tanstack/react-query'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { useApi } from '../../api/api.js'
import { useErrorText } from '../../api/error-texts.js'
import { useFormat } from '../../texts/format.js'
import { phrases, plural, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { Dialog } from '../../ui/dialogs.js'
import { ErrorNote, Note, Progress } from '../../ui/notes.js'
import { WEBHOOKS_KEY } from '../queries.js'
import type { DeliveryFilter } from './live-deliveries.js'
import { findUnsent, RESENDABLE, type Resendable, type ResendReport, resendEach } from './resend-run.js'

const TEXTS = phrases({
  en: {
    open: {
      failed: 'Resend all failed',
      blocked: 'Resend all blocked',
      cancelled: 'Resend all cancelled',
      dead: 'Resend all not deliverable',
    },
    looking: (count: string) => `Looking for deliveries: ${count} read`,
    none: 'There is nothing to send again. Deliveries that were sent again already do not count.',
    question: (count: string) => plural.en(count, 'Send one delivery again?', `Send ${count} deliveries again?`),
    explanation:
      'They go out one after the other, the oldest first, with their original content. Deliveries that were sent again already are left out.',
    start: 'Send again',
    progress: (done: string, of: string) => `${done} of ${of} sent again`,
    pause: (seconds: number) => `The server allows no more at the moment. It goes on in ${seconds} s.`,
    done: (sent: string) => `Done: ${sent} sent again. The log shows what becomes of them.`,
    stopped: (sent: string, of: string) => `Stopped: ${sent} of ${of} were sent again.`,
    refused: (count: string, reason: string) => `${count} could not be sent again: ${reason}`,
    stop: 'Stop',
    close: 'Close',
  },
  de: {
    open: {
      failed: 'Fehlgeschlagene noch einmal senden',
      blocked: 'Blockierte noch einmal senden',
      cancelled: 'Abgebrochene noch einmal senden',
      dead: 'Nicht zustellbare noch einmal senden',
    },
    looking: (count) => `Zustellungen werden gesucht: ${count} gelesen`,
    none: 'Es gibt nichts noch einmal zu senden. Was schon wiederholt wurde, zählt nicht.',
    question: (count) =>
      plural.de(count, 'Eine Zustellung noch einmal senden?', `${count} Zustellungen noch einmal senden?`),
    explanation:
      'Sie gehen nacheinander hinaus, die älteste zuerst, mit ihrem ursprünglichen Inhalt. Was schon wiederholt wurde, bleibt weg.',
    start: 'Noch einmal senden',
    progress: (done, of) => `${done} von ${of} noch einmal gesendet`,
    pause: (seconds) => `Der Server erlaubt gerade nicht mehr. In ${seconds} s geht es weiter.`,
    done: (sent) => `Fertig: ${sent} noch einmal gesendet. Das Protokoll zeigt, was daraus wird.`,
    stopped: (sent, of) => `Angehalten: ${sent} von ${of} wurden noch einmal gesendet.`,
    refused: (count, reason) => `${count} ließen sich nicht noch einmal senden: ${reason}`,
    stop: 'Anhalten',
    close: 'Schließen',
  },
})

type Phase = 'looking' | 'asking' | 'sending' | 'done' | 'stopped'

const NOTHING: ResendReport = { sent: 0, refused: new Map(), pauseSeconds: 0 }

/** Sends all failed deliveries of a filter again, or those of another final status if the filter names one. */
export function ResendAll({ filter }: { readonly filter: DeliveryFilter }): ReactElement | null {
  const texts = useTexts(TEXTS)
  const [isOpen, setOpen] = useState(false)
  const { status: wanted = 'failed' } = filter
  const status = RESENDABLE.find((each) => each === wanted)
  if (status === undefined) return null
  return (
    <>
      <Button onPress={() => setOpen(true)}>{texts.open[status]}</Button>
      {isOpen && <ResendRun filter={filter} status={status} onClose={() => setOpen(false)} />}
    </>
  )
}

interface ResendRunProps {
  readonly filter: DeliveryFilter
  readonly status: Resendable
  readonly onClose: () => void
}

/** Looks for the deliveries, asks, and sends. Escape stops the sending first, and closes the report of it then. */
function ResendRun({ filter, status, onClose }: ResendRunProps): ReactElement {
  const texts = useTexts(TEXTS)
  const errorText = useErrorText()
  const format = useFormat()
  const api = useApi()
  const queries = useQueryClient()
  const [phase, setPhase] = useState<Phase>('looking')
  const [readCount, setReadCount] = useState(0)
  const [ids, setIds] = useState<readonly number[]>([])
  const [report, setReport] = useState(NOTHING)
  const [error, setError] = useState<unknown>()
  const running = useRef<AbortController>(undefined)

  const run = async (work: (signal: AbortSignal) => Promise<Phase>): Promise<void> => {
    const controller = new AbortController()
    running.current = controller
    try {
      setPhase(await work(controller.signal))
    } catch (thrown) {
      if (running.current !== controller) return
      if (!controller.signal.aborted) setError(thrown)
      setPhase('stopped')
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the dialog is open for one filter.
  useEffect(() => {
    void run(async (signal) => {
      const found = await findUnsent(api, filter, status, { signal, onRead: setReadCount })
      setIds(found)
      return 'asking'
    })
    return () => running.current?.abort()
  }, [])
  const start = (): void => {
    setPhase('sending')
    void run(async (signal) => {
      try {
        await resendEach(api, ids, { signal, onReport: setReport })
      } finally {
        void queries.invalidateQueries({ queryKey: [...WEBHOOKS_KEY, 'newest'] })
      }
      return 'done'
    })
  }
  const stop = (): void => running.current?.abort()
  const [sent, all] = [format.number(report.sent), format.number(ids.length)]
  const refusedCount = [...report.refused.values()].reduce((sum, { count }) => sum + count, 0)
  return (
    <Dialog title={texts.open[status]} isOpen onClose={phase === 'sending' ? stop : onClose} role="alertdialog">
      {phase === 'looking' && <Progress label={texts.looking(format.number(readCount))} />}
      {phase === 'sending' && (
        <Progress label={texts.progress(sent, all)} value={(report.sent + refusedCount) / ids.length} />
      )}
      <div role="status">
        {phase === 'asking' && <p>{ids.length === 0 ? texts.none : texts.question(all)}</p>}
        {phase === 'asking' && ids.length > 0 && <p className="soft">{texts.explanation}</p>}
        {report.pauseSeconds > 0 && phase === 'sending' && <Note>{texts.pause(report.pauseSeconds)}</Note>}
        {phase === 'done' && <p>{texts.done(sent)}</p>}
        {phase === 'stopped' && ids.length > 0 && <p>{texts.stopped(sent, all)}</p>}
        {[...report.refused].map(([key, { count, error: refusal }]) => (
          <Note key={key} kind="warning">
            {texts.refused(format.number(count), errorText(refusal))}
          </Note>
        ))}
      </div>
      <ErrorNote error={error} />
      <div className="actions">
        {phase === 'sending' ? (
          <Button onPress={stop}>{texts.stop}</Button>
        ) : (
          <Button onPress={onClose}>{texts.close}</Button>
        )}
        {phase === 'asking' && ids.length > 0 && (
          <Button kind="primary" onPress={start}>
            {texts.start}
          </Button>
        )}
      </div>
    </Dialog>
  )
}
