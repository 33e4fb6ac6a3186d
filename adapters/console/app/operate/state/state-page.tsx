import type { ReactElement, ReactNode } from 'react'
import { type Installation, useInstallation } from '../../api/use-installation.js'
import { useFormat } from '../../texts/format.js'
import { phraseOf, useTexts } from '../../texts/phrases.js'
import { Loaded, Note } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { ProblemList } from '../doctor/problem-list.js'
import { Fact } from '../fact.js'
import { DiskTable } from './disk-table.js'
import { HealthPanel } from './health-panel.js'
import { ModelCards } from './model-cards.js'
import { QueueTable } from './queue-table.js'
import { STATE_TEXTS } from './state-texts.js'

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
