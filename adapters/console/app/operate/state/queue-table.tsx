import type { ReactElement } from 'react'
import { Link } from 'wouter'
import type { Schema } from '../../api/api.js'
import { useLogin } from '../../login/use-login.js'
import { type Format, useFormat } from '../../texts/format.js'
import { phraseOf, phrases, plural, useTexts } from '../../texts/phrases.js'
import { EmptyState } from '../../ui/notes.js'
import { Row, Table } from '../../ui/table.js'

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

const QUEUE_TEXTS = phrases({
  en: {
    columns: ['Work', 'Waiting', 'Running', 'Delayed', 'Retrying', 'Crashing', 'Oldest waits'],
    label: 'Jobs by kind of work',
    none: 'No queues here',
    noneText: 'This process does no work in the background. The process that does it shows the queues.',
    meanings:
      'Waiting: due now. Delayed: due later. Retrying: has failed before. Crashing: taken three times without progress, so it may crash the process.',
    crashing: (name: string, jobs: number) =>
      `${name}: ${plural.en(jobs, 'a job was', `${jobs} jobs were`)} taken three times without progress, and may crash the process that runs them. Find the job in the log of the server. A document that crashes it fails after six tries; remove it then.`,
    late: (name: string, age: string) =>
      `${name}: the oldest job has waited for ${age}. Check in the log that the workers run; more processes do more at a time.`,
    retrying: (name: string, jobs: number) =>
      `${name}: ${plural.en(jobs, 'a job has failed and is', `${jobs} jobs have failed and are`)} tried again. "jobs.failed" in the log of the server says why.`,
    good: 'No queue needs your attention.',
    failed: 'A delivery that has failed for good is in no queue any more.',
    failedLink: 'Failed deliveries of webhooks',
    /** By kind of job. */
    kinds: {
      'ingest-document': {
        name: 'Process documents' /** The work of its jobs. */,
        about: 'Reads uploaded files and makes them searchable.',
      },
      'index-words': {
        name: 'Index words' /** The work of its jobs. */,
        about: 'Adds the words of older documents to the index of words.',
      },
      'index-name': {
        name: 'Index new names' /** The work of its jobs. */,
        about: 'Makes renamed documents findable by their new names.',
      },
      'reindex-context': {
        name: 'Change a model' /** The work of its jobs. */,
        about: 'Computes the vectors of a GPT again, for another model.',
      },
      'purge-document': {
        name: 'Remove documents' /** The work of its jobs. */,
        about: 'Deletes the data of removed documents from the disk.',
      },
      'purge-context': {
        name: 'Remove GPTs' /** The work of its jobs. */,
        about: 'Deletes the data of removed GPTs from the disk.',
      },
      'purge-account': {
        name: 'Remove accounts' /** The work of its jobs. */,
        about: 'Deletes the GPTs of removed accounts.',
      },
      'purge-company': {
        name: 'Remove companies' /** The work of its jobs. */,
        about: 'Deletes everything of removed companies.',
      },
      'send-mail': {
        name: 'Send mails' /** The work of its jobs. */,
        about: 'Invitations and links for a new password.',
      },
      'deliver-event': {
        name: 'Deliver webhooks' /** The work of its jobs. */,
        about: 'Sends events to their destinations.',
      },
      'trim-deliveries': {
        name: 'Tidy deliveries' /** The work of its jobs. */,
        about: 'Removes old deliveries, once an hour.',
      },
      'trim-audit': {
        name: 'Tidy the audit trail',
        /** The work of its jobs. */
        about: 'Removes entries after their retention time, once an hour.',
      },
      sweep: {
        name: 'Sweep' /** The work of its jobs. */,
        about: 'Looks for left-over data and unfinished work, once an hour.',
      },
    },
  },
  de: {
    columns: ['Arbeit', 'Wartend', 'Laufend', 'Später', 'Wiederholt', 'Abstürze', 'Längste Wartezeit'],
    label: 'Aufträge nach Art der Arbeit',
    none: 'Keine Warteschlangen',
    noneText: 'Dieser Prozess erledigt keine Arbeit im Hintergrund. Der Prozess, der es tut, zeigt die Warteschlangen.',
    meanings:
      'Wartend: jetzt fällig. Später: noch nicht fällig. Wiederholt: schon fehlgeschlagen. Abstürze: dreimal ohne Fortschritt begonnen, vielleicht stürzt der Prozess daran ab.',
    crashing: (name, jobs) =>
      `${name}: ${plural.de(jobs, 'Ein Auftrag wurde', `${jobs} Aufträge wurden`)} dreimal ohne Fortschritt begonnen. Vielleicht stürzt der Prozess daran ab. Suche den Auftrag im Log des Servers. Ein Dokument, an dem er abstürzt, schlägt nach sechs Versuchen fehl; lösche es dann.`,
    late: (name, age) =>
      `${name}: Der älteste Auftrag wartet seit ${age}. Prüfe im Log, ob die Worker laufen; mehr Prozesse schaffen mehr auf einmal.`,
    retrying: (name, jobs) =>
      `${name}: ${plural.de(jobs, 'Ein Auftrag ist fehlgeschlagen und wird', `${jobs} Aufträge sind fehlgeschlagen und werden`)} noch einmal versucht. „jobs.failed“ im Log des Servers nennt den Grund.`,
    good: 'Keine Warteschlange braucht Aufmerksamkeit.',
    failed: 'Eine endgültig fehlgeschlagene Zustellung ist in keiner Warteschlange mehr.',
    failedLink: 'Fehlgeschlagene Zustellungen',
    kinds: {
      'ingest-document': { name: 'Dokumente verarbeiten', about: 'Liest Dateien und macht sie durchsuchbar.' },
      'index-words': { name: 'Wörter indexieren', about: 'Nimmt Wörter älterer Dokumente in den Index auf.' },
      'index-name': {
        name: 'Neue Namen indexieren',
        about: 'Macht umbenannte Dokumente unter ihrem Namen auffindbar.',
      },
      'reindex-context': { name: 'Modell wechseln', about: 'Berechnet die Vektoren eines GPTs neu.' },
      'purge-document': {
        name: 'Dokumente löschen',
        about: 'Entfernt die Daten gelöschter Dokumente von der Festplatte.',
      },
      'purge-context': { name: 'GPTs löschen', about: 'Entfernt die Daten gelöschter GPTs von der Festplatte.' },
      'purge-account': { name: 'Konten löschen', about: 'Entfernt die GPTs gelöschter Konten.' },
      'purge-company': { name: 'Firmen löschen', about: 'Entfernt alles von gelöschten Firmen.' },
      'send-mail': { name: 'E-Mails senden', about: 'Einladungen und Links für ein neues Passwort.' },
      'deliver-event': { name: 'Webhooks zustellen', about: 'Sendet Ereignisse an ihre Ziele.' },
      'trim-deliveries': { name: 'Zustellungen aufräumen', about: 'Entfernt jede Stunde alte Zustellungen.' },
      'trim-audit': { name: 'Protokoll aufräumen', about: 'Entfernt jede Stunde abgelaufene Einträge.' },
      sweep: { name: 'Aufräumen', about: 'Sucht jede Stunde Übriggebliebenes und Unfertiges.' },
    },
  },
})
