import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { Schema } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { type Format, useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/language.js'
import { EmptyState } from '../../ui/notes.js'
import { TableScroll } from '../../ui/table-scroll.js'
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
  const nameOf = ({ kind }: Queue): string => texts.kinds[kind]?.name ?? kind
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
      <TableScroll label={texts.label}>
        <table>
          <thead>
            <tr>
              {texts.columns.map((column, index) => (
                <th key={column} scope="col" className={index === 0 ? undefined : 'number'}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {queues.map((queue) => (
              <tr key={queue.kind}>
                <th scope="row" className="operate-name">
                  {nameOf(queue)}
                  <span className="hint">{texts.kinds[queue.kind]?.about}</span>
                </th>
                <td className="number">{format.number(queue.waiting)}</td>
                <td className="number">{format.number(queue.running)}</td>
                <td className="number">{format.number(queue.delayed)}</td>
                <td className="number">{format.number(queue.retrying)}</td>
                <td className="number">{format.number(queue.crashing)}</td>
                <td className="number">{queue.waiting === 0 ? '–' : format.duration(queue.oldestWaitingSeconds)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableScroll>
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
