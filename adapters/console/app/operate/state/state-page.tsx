import type { ReactElement, ReactNode } from 'react'
import { type Installation, useInstallation } from '../../api/use-installation.js'
import { useFormat } from '../../texts/format.js'
import { phraseOf, phrases, plural, useTexts } from '../../texts/phrases.js'
import { Loaded, Note } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { ProblemList } from '../doctor/problem-list.js'
import { Fact } from '../fact.js'
import { DiskTable } from './disk-table.js'
import { HealthPanel } from './health-panel.js'
import { ModelCards } from './model-cards.js'
import { QueueTable } from './queue-table.js'

const POLL_MS = 5_000

/** The health of the server; for managers of the root company also its queues, disks, models and rows. */
export function StatePage({ tabs }: { readonly tabs: ReactNode }): ReactElement {
  const installation = useInstallation(POLL_MS)
  const texts = useTexts(STATE_TEXTS)
  return (
    <>
      <PageHead title={texts.title}>{texts.about}</PageHead>
      {tabs}
      <HealthPanel />
      <Loaded query={installation}>
        {(state) => (state === null ? <Note>{texts.notOperator}</Note> : <InstallationPanels state={state} />)}
      </Loaded>
    </>
  )
}

function InstallationPanels({ state }: { readonly state: Installation }): ReactElement {
  const texts = useTexts(STATE_TEXTS)
  const format = useFormat()
  const countOf = (value: number | null): string => (value === null ? texts.isUnknown : format.number(value))
  const roles = state.roles.map((role) => texts.roles[role]).join('; ')
  return (
    <>
      <section className="panel operate-panel">
        <h2>{texts.process}</h2>
        <dl className="facts">
          <Fact name={texts.version}>{state.version}</Fact>
          <Fact name={texts.uptime}>
            {texts.since(format.duration(state.uptimeSeconds), format.time(state.started))}
          </Fact>
          <Fact name={texts.work}>{roles === '' ? texts.noRoles : roles}</Fact>
          <Fact name={texts.deliveries}>{format.number(state.pendingDeliveries)}</Fact>
          <Fact name={texts.mails}>{texts.mailKinds[state.mails]}</Fact>
        </dl>
      </section>
      <section className="panel operate-panel">
        <h2>{texts.queues}</h2>
        <QueueTable queues={state.queues} />
      </section>
      <section className="panel operate-panel">
        <h2>{texts.disk}</h2>
        <DiskTable parts={state.disk} />
      </section>
      <section className="panel operate-panel">
        <h2>{texts.models}</h2>
        <ModelCards models={state.models} />
      </section>
      <section className="panel operate-panel">
        <h2>{texts.data}</h2>
        <p className="soft">{texts.dataAbout}</p>
        <dl className="facts">
          {Object.entries(state.rows).map(([table, rows]) => (
            <Fact key={table} name={phraseOf(texts.tables, table) ?? table}>
              {format.number(rows)}
            </Fact>
          ))}
          <Fact name={texts.vectorCollections}>{countOf(state.collections.vectors)}</Fact>
          <Fact name={texts.wordCollections}>{countOf(state.collections.words)}</Fact>
        </dl>
      </section>
      <section className="panel operate-panel">
        <h2>{texts.startCheck}</h2>
        {state.startCheck === null ? (
          <p>{texts.noStartCheck}</p>
        ) : state.startCheck.problems.length === 0 ? (
          <p>{texts.startCheckGood}</p>
        ) : (
          <>
            <Note kind="warning">{texts.startCheckBad(state.startCheck.problems.length)}</Note>
            <ProblemList problems={state.startCheck.problems} />
          </>
        )}
      </section>
    </>
  )
}

const STATE_TEXTS = phrases({
  en: {
    title: 'State',
    about: 'Does the server work, and does anything wait? The page looks every 5 seconds.',
    notOperator:
      'Queues, disks and models concern all companies, so only managers of the topmost company see them. Quotas and the audit trail of your companies are above.',
    isUnknown: 'unknown',
    process: 'The process that answers',
    version: 'Version of Alcove',
    uptime: 'Uptime',
    since: (duration: string, started: string) => `${duration} (${started})`,
    work: 'Work in the background',
    roles: { ingest: 'processes documents and removes deleted data', relay: 'sends webhooks and mails' },
    noRoles: 'None: another process does it.',
    deliveries: 'Webhooks that wait for delivery',
    mails: 'Mails',
    mailKinds: {
      sent: 'go out',
      kept: 'do not go out: they stay as files in the folder “mail” of the data folder. “alcove serve --smtp-url” sets a mail server.',
    },
    queues: 'Queues',
    disk: 'Disk',
    models: 'Embedding models',
    data: 'Stored data',
    dataAbout:
      'Rows of the tables that grow, and collections of the indexes: one for each GPT and generation. They are counted at most once a minute.',
    /** By name of the table. */
    tables: {
      companies: 'Companies',
      users: 'Users',
      contexts: 'GPTs',
      documents: 'Documents',
      chunks: 'Chunks of text',
      events: 'Events',
      deliveries: 'Deliveries of webhooks',
      audit: 'Entries of the audit trail',
    },
    vectorCollections: 'Collections of vectors',
    wordCollections: 'Collections of words',
    startCheck: 'Check after the start',
    noStartCheck: 'The check is not finished yet, or this process does not run it.',
    startCheckGood: 'The quick check after the start found nothing wrong. The doctor checks thoroughly.',
    startCheckBad: (problems: number) =>
      `The quick check after the start found ${plural.en(problems, 'a problem', `${problems} problems`)}. The doctor checks thoroughly.`,
  },
  de: {
    title: 'Status',
    about: 'Funktioniert der Server, und wartet etwas? Die Seite prüft es alle 5 Sekunden.',
    notOperator:
      'Warteschlangen, Speicher und Modelle betreffen alle Firmen. Deshalb sehen sie nur Verwalter der obersten Firma. Kontingente und Protokoll deiner Firmen stehen oben.',
    isUnknown: 'unbekannt',
    process: 'Der Prozess, der antwortet',
    version: 'Version von Alcove',
    uptime: 'Läuft seit',
    since: (duration, started) => `${duration} (${started})`,
    work: 'Arbeit im Hintergrund',
    roles: { ingest: 'verarbeitet Dokumente und entfernt Gelöschtes', relay: 'sendet Webhooks und E-Mails' },
    noRoles: 'Keine: Ein anderer Prozess erledigt sie.',
    deliveries: 'Webhooks, die auf Zustellung warten',
    mails: 'E-Mails',
    mailKinds: {
      sent: 'gehen hinaus',
      kept: 'gehen nicht hinaus: Sie bleiben als Dateien im Ordner „mail“ des Datenordners. „alcove serve --smtp-url“ setzt einen Mailserver.',
    },
    queues: 'Warteschlangen',
    disk: 'Speicherplatz',
    models: 'Embedding-Modelle',
    data: 'Gespeicherte Daten',
    dataAbout:
      'Zeilen der Tabellen, die wachsen, und Sammlungen der Indexe: eine je GPT und Generation. Sie werden höchstens einmal in der Minute gezählt.',
    tables: {
      companies: 'Firmen',
      users: 'Benutzer',
      contexts: 'GPTs',
      documents: 'Dokumente',
      chunks: 'Abschnitte',
      events: 'Ereignisse',
      deliveries: 'Zustellungen von Webhooks',
      audit: 'Einträge des Protokolls',
    },
    vectorCollections: 'Sammlungen von Vektoren',
    wordCollections: 'Sammlungen von Wörtern',
    startCheck: 'Prüfung nach dem Start',
    noStartCheck: 'Die Prüfung ist noch nicht fertig, oder dieser Prozess macht sie nicht.',
    startCheckGood:
      'Die schnelle Prüfung nach dem Start hat keinen Fehler gefunden. Gründlicher ist die Seite Prüfung.',
    startCheckBad: (problems) =>
      `Die schnelle Prüfung nach dem Start hat ${plural.de(problems, 'ein Problem', `${problems} Probleme`)} gefunden. Gründlicher ist die Seite Prüfung.`,
  },
})
