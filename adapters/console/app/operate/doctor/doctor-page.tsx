import { type ReactElement, type ReactNode, useEffect, useRef } from 'react'
import { AlcoveApiError, type Schema } from '../../api/api.js'
import { type Installation, useInstallation } from '../../api/use-installation.js'
import { useFormat } from '../../texts/format.js'
import { phrases, plural, useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { CopyButton } from '../../ui/copy-button.js'
import { EmptyState, ErrorNote, Note, Progress } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { Fact } from '../fact.js'
import { NoticeList } from './notice-list.js'
import { ProblemList } from './problem-list.js'
import type { Doctor } from './use-doctor.js'

const POLL_MS = 5_000
const POLL_OF_RUN_MS = 1_000

interface DoctorPageProps {
  readonly doctor: Doctor
  readonly tabs: ReactNode
}

/** Runs the doctor without repairs. */
export function DoctorPage({ doctor, tabs }: DoctorPageProps): ReactElement {
  const installation = useInstallation(doctor.isRunning ? POLL_OF_RUN_MS : POLL_MS)
  const texts = useTexts(DOCTOR_TEXTS)
  if (installation.data === null) {
    return (
      <>
        <PageHead title={texts.title} />
        {tabs}
        <Note>{texts.notOperator}</Note>
      </>
    )
  }
  const other = doctor.isRunning ? undefined : (installation.data?.verification ?? undefined)
  return (
    <>
      <PageHead
        title={texts.title}
        actions={
          doctor.isRunning ? (
            <Button onPress={doctor.cancel}>{texts.cancel}</Button>
          ) : (
            <Button kind="primary" isDisabled={other !== undefined || installation.isPending} onPress={doctor.run}>
              {texts.run}
            </Button>
          )
        }
      >
        {texts.about}
      </PageHead>
      {tabs}
      <Findings installation={installation.data} doctor={doctor} />
    </>
  )
}

interface FindingsProps {
  readonly installation: Installation | undefined
  readonly doctor: Doctor
}

function Findings({ installation, doctor }: FindingsProps): ReactElement {
  const texts = useTexts(DOCTOR_TEXTS)
  const format = useFormat()
  const { isRunning, isCancelled, report, error } = doctor
  const verification = installation?.verification ?? undefined
  const documents = verification?.documents ?? 0
  const total = installation?.rows['documents'] ?? 0
  const isThrottled = error instanceof AlcoveApiError && error.status === 429
  return (
    <>
      <div role="status">
        {isCancelled && <Note>{texts.isCancelled}</Note>}
        {!isRunning && verification !== undefined && (
          <Note>{texts.other(format.relative(verification.started), format.number(documents))}</Note>
        )}
      </div>
      {isRunning && (
        <Progress
          label={texts.running(format.number(documents))}
          // The number of rows is an estimate, and the check of models comes last.
          value={total > 0 && documents > 0 ? Math.min(documents / total, 0.95) : undefined}
        />
      )}
      {isThrottled ? <Note kind="warning">{texts.throttled}</Note> : <ErrorNote error={error} />}
      {report !== undefined && !isRunning && <Report report={report} />}
      {report === undefined && !isRunning && error === null && !isCancelled && verification === undefined && (
        <EmptyState title={texts.never}>{texts.neverText}</EmptyState>
      )}
    </>
  )
}

type VerifyReport = Schema<'VerifyReport'>

const COMMAND = 'alcove doctor --repair'

/** The result of the doctor: problems with their repair, and what was checked. */
function Report({ report }: { readonly report: VerifyReport }): ReactElement {
  const texts = useTexts(DOCTOR_TEXTS)
  const format = useFormat()
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that cancels is gone, and the keyboard goes on at the result.
  useEffect(() => heading.current?.focus(), [])
  const { problems, notices, checked, isHealthy } = report
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        {texts.report}
      </h2>
      <div role="status">
        {isHealthy ? (
          <Note kind="success">{texts.healthy}</Note>
        ) : (
          <Note kind="warning">
            <p>{texts.unhealthy(problems.length)}</p>
            {problems.some(({ isRepairable }) => isRepairable) && (
              <p>
                {texts.repair[0]} <code>{COMMAND}</code> {texts.repair[1]}
              </p>
            )}
            {problems.some(({ isRepairable }) => !isRepairable) && <p>{texts.byHand}</p>}
          </Note>
        )}
      </div>
      {problems.length > 0 && <ProblemList problems={problems} />}
      <NoticeList notices={notices} />
      <section className="panel operate-panel">
        <h3>{texts.checked}</h3>
        <dl className="facts">
          {(Object.keys(texts.counts) as (keyof VerifyReport['checked'])[]).map((part) => (
            <Fact key={part} name={texts.counts[part]}>
              {part === 'bytes' ? format.bytes(checked.bytes) : format.number(checked[part])}
            </Fact>
          ))}
        </dl>
        <div className="actions">
          <CopyButton text={JSON.stringify(report, null, 2)} label={texts.copy} />
        </div>
      </section>
    </>
  )
}

const DOCTOR_TEXTS = phrases({
  en: {
    title: 'Doctor',
    about: 'Compares rows, files, vectors, words and models with each other. It changes nothing.',
    notOperator: 'The doctor checks the data of all companies, so only managers of the topmost company can run it.',
    run: 'Check everything',
    cancel: 'Cancel the check',
    running: (documents: string) =>
      `The check runs: ${documents} documents so far. Stay in this section until it ends.`,
    isCancelled: 'You cancelled the check, so there is no report. Nothing was changed.',
    other: (started: string, documents: string) =>
      `A check that somebody else began ${started} runs now: ${documents} documents so far. Wait for its end.`,
    throttled: 'Somebody else runs a check right now, and one runs at a time. Wait for its end, then try again.',
    never: 'No check yet',
    neverText:
      'Run a check after a crash, a full disk or a restored backup, or when answers miss something. It reads every file and may take minutes; searches and uploads go on meanwhile.',
    report: 'Report',
    healthy: 'Everything is in order: all that was checked fits together.',
    unhealthy: (problems: number) => `The check found ${plural.en(problems, 'a problem', `${problems} problems`)}.`,
    repair: [
      'To mend what can be repaired, somebody with a command line runs',
      'on the machine of the server. Stop the server first, unless it uses PostgreSQL.',
    ],
    byHand: 'Alcove cannot repair what is marked "mend by hand": there you read what you can do.',
    copy: 'Copy the report',
    checked: 'What was checked',
    counts: {
      contexts: 'GPTs',
      documents: 'Documents',
      files: 'Files',
      bytes: 'Bytes of the files',
      chunks: 'Chunks of text',
      windows: 'Windows of the model',
      collections: 'Collections of vectors',
      vectors: 'Vectors',
      wordCollections: 'Collections of words',
      indexedChunks: 'Chunks in the index of words',
      jobs: 'Jobs',
      models: 'Models',
    },
  },
  de: {
    title: 'Prüfung',
    about: 'Vergleicht Zeilen, Dateien, Vektoren, Wörter und Modelle miteinander. Sie ändert nichts.',
    notOperator: 'Geprüft werden die Daten aller Firmen. Deshalb dürfen das nur Verwalter der obersten Firma.',
    run: 'Alles prüfen',
    cancel: 'Prüfung abbrechen',
    running: (documents) => `Die Prüfung läuft: bisher ${documents} Dokumente. Bleib bis zum Ende in diesem Bereich.`,
    isCancelled: 'Du hast die Prüfung abgebrochen, deshalb gibt es keinen Bericht. Geändert wurde nichts.',
    other: (started, documents) =>
      `Gerade läuft eine Prüfung, die jemand anderes ${started} begonnen hat: bisher ${documents} Dokumente. Warte auf ihr Ende.`,
    throttled: 'Gerade prüft jemand anderes, und es läuft nur eine Prüfung auf einmal. Warte auf ihr Ende.',
    never: 'Noch keine Prüfung',
    neverText:
      'Prüfe nach einem Absturz, einer vollen Festplatte oder einem wiederhergestellten Backup, oder wenn in Antworten etwas fehlt. Das liest jede Datei und kann Minuten dauern; Suchen und Uploads gehen weiter.',
    report: 'Bericht',
    healthy: 'Alles ist in Ordnung: Was geprüft wurde, passt zusammen.',
    unhealthy: (problems) => `Die Prüfung hat ${plural.de(problems, 'ein Problem', `${problems} Probleme`)} gefunden.`,
    repair: [
      'Was sich reparieren lässt, repariert jemand mit einer Kommandozeile durch',
      'auf der Maschine des Servers. Halte den Server vorher an, außer er benutzt PostgreSQL.',
    ],
    byHand: 'Wo „von Hand beheben“ steht, kann Alcove nichts reparieren: Dort liest du, was du tun kannst.',
    copy: 'Bericht kopieren',
    checked: 'Was geprüft wurde',
    counts: {
      contexts: 'GPTs',
      documents: 'Dokumente',
      files: 'Dateien',
      bytes: 'Bytes der Dateien',
      chunks: 'Abschnitte',
      windows: 'Fenster des Modells',
      collections: 'Sammlungen von Vektoren',
      vectors: 'Vektoren',
      wordCollections: 'Sammlungen von Wörtern',
      indexedChunks: 'Abschnitte im Index der Wörter',
      jobs: 'Aufträge',
      models: 'Modelle',
    },
  },
})
