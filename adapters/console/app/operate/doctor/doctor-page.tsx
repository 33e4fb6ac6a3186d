import type { ReactElement, ReactNode } from 'react'
import { AlcoveApiError } from '../../api/api.js'
import { type Installation, useInstallation } from '../../api/use-installation.js'
import { useFormat } from '../../texts/format.js'
import { useTexts } from '../../texts/phrases.js'
import { Button } from '../../ui/buttons.js'
import { EmptyState, ErrorNote, Note, Progress } from '../../ui/notes.js'
import { PageHead } from '../../ui/page-head.js'
import { DOCTOR_TEXTS } from './doctor-texts.js'
import { Report } from './report.js'
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
