import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { Schema } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { type Format, useFormat } from '../../texts/format.js'
import { phraseOf, useTexts } from '../../texts/phrases.js'
import { EmptyState } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'
import { QUEUE_TEXTS } from './queue-texts.js'

type Queue = Schema<'EngineQueue'>

/** A job that waits longer needs attention: the workers are behind, or do not run. */
const LATE_SECONDS = 600

/** The queues with what their jobs do, and sentences for those that need attention. */
export function QueueTable({ queues }: { readonly queues: readonly Queue[] }): ReactElement {
  const texts = useTexts(QUEUE_TEXTS)
  const format = useFormat()
  const { can } = useLogin()
  if (queues.length === 0) return <EmptyState title={texts.none}>{texts.noneText}</EmptyState>
  const nameOf = ({ kind }: Queue): string => phraseOf(texts.kinds, kind)?.name ?? kind
  const warnings = queues.flatMap((queue) => warningsOf(queue, nameOf(queue), texts, format))
  return (
    <>
      <div role="status" className={`note ${warnings.length === 0 ? 'note-success' : 'note-warning'}`}>
        {warnings.length === 0 ? texts.good : warnings.map((warning) => <p key={warning}>{warning}</p>)}
      </div>
      {can('webhook:manage') && (
        <p className="hint">
          {texts.failed} <Link href="/webhooks/deliveries?status=failed">{texts.failedLink}</Link>
        </p>
      )}
      <Table label={texts.label} columns={texts.columns.map((name, index) => ({ name, isNumber: index > 0 }))}>
        {queues.map((queue) => (
          <Row
            key={queue.kind}
            cells={[
              <>
                {nameOf(queue)}
                <span className="hint">{phraseOf(texts.kinds, queue.kind)?.about}</span>
              </>,
              format.number(queue.waiting),
              format.number(queue.running),
              format.number(queue.delayed),
              format.number(queue.retrying),
              format.number(queue.crashing),
              queue.waiting === 0 ? '–' : format.duration(queue.oldestWaitingSeconds),
            ]}
          />
        ))}
      </Table>
      <p className="hint">{texts.meanings}</p>
    </>
  )
}

function warningsOf(
  { waiting, retrying, crashing, oldestWaitingSeconds }: Queue,
  name: string,
  texts: (typeof QUEUE_TEXTS)['en'],
  format: Format,
): readonly string[] {
  return [
    ...(crashing > 0 ? [texts.crashing(name, crashing)] : []),
    ...(waiting > 0 && oldestWaitingSeconds > LATE_SECONDS
      ? [texts.late(name, format.duration(oldestWaitingSeconds))]
      : []),
    ...(retrying > 0 ? [texts.retrying(name, retrying)] : []),
  ]
}
